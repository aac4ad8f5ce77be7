import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import type { Moment } from './plan.ts';
import { Tape } from './tape.ts';
import { discordRoutes, gatewayPaths, type Of, type Trouble } from './troubles.ts';
import { promptIn } from './words.ts';

const { acknowledgement, answer, edit, post } = discordRoutes;

/** The two servers, which outlive the bot: the faults that they inject, and the requests that they received. */
export class Sides {
  readonly discord: EmbeddedDiscord;
  readonly gateway: EmbeddedGateway;
  readonly toDiscord: Tape<RecordedRequest>;
  readonly toGateway: Tape<RecordedGatewayRequest>;
  /** How often each fault was injected. */
  readonly struck = new Map<string, number>();
  readonly tokensExpiredAt: number[] = [];
  /** The words in the images of a job's request, which the gateway discards after reading them. */
  readonly imageWords = new Map<string, string>();
  /** Active faults, with how often each may still be injected. */
  readonly #atDiscord = new Map<Of<'discord'>, number>();
  /** Active faults, with the numbers that the gateway assigned to them. */
  readonly #atGateway = new Map<Of<'gateway'>, number>();

  constructor(discord: EmbeddedDiscord, gateway: EmbeddedGateway) {
    this.discord = discord;
    this.gateway = gateway;
    this.toDiscord = new Tape(discord.requests);
    this.toGateway = new Tape(gateway.heard);
    gateway.jobs.on('change', ({ id, details }, before) => {
      const words = details.sources.map((one) => (one.from === 'request' ? one.bytes.toString('latin1') : one.url));
      const word = promptIn(words.join(' '));
      if (!before && word !== undefined) this.imageWords.set(id, word);
    });
  }

  listen(): void {
    this.toDiscord.catchUp();
    this.toGateway.catchUp();
  }

  befall(trouble: Trouble): void {
    if (trouble.of === 'socket') this.#socket(trouble.name);
    else if (trouble.of === 'tokens') {
      this.tokensExpiredAt.push(Date.now());
      this.discord.expireTokens();
      this.#note(trouble.name);
    } else if (trouble.of === 'discord') {
      this.#atDiscord.set(trouble, trouble.order.times ?? 1);
      this.#place(trouble);
    } else {
      this.#note(`gateway: ${trouble.name}`, trouble.order.times);
      this.#atGateway.set(trouble, this.gateway.faults.add(trouble.order));
    }
  }

  /** Removes a fault that has not been injected by now. */
  withdraw(trouble: Trouble): void {
    if (trouble.of === 'gateway') this.#takeBack(trouble);
    if (trouble.of !== 'discord' || !this.#atDiscord.delete(trouble)) return;
    // The embedded gateway can only clear its whole request log.
    this.discord.faults.clear();
    for (const other of this.#atDiscord.keys()) this.#place(other);
  }

  calm(): void {
    for (const trouble of [...this.#atGateway.keys()]) this.#takeBack(trouble);
    this.#atDiscord.clear();
    this.discord.faults.clear();
  }

  /** How often the bot has reached such a moment. */
  momentsOf(moment: Moment): number {
    return this.requestsAt(moment).length;
  }

  /** The bot's requests at such moments, the latest one last. */
  requestsAt(moment: Moment): readonly (RecordedRequest | RecordedGatewayRequest)[] {
    this.listen();
    const requestsFor = (...matching: { method: string; route: string }[]): RecordedRequest[] =>
      this.toDiscord.entries.filter((one) =>
        matching.some(({ method, route }) => one.method === method && one.route === route),
      );
    switch (moment) {
      case 'anything':
        return [];
      case 'acknowledgement':
        return requestsFor(acknowledgement);
      case 'edit':
        return requestsFor(answer, edit);
      case 'post':
        return requestsFor(post);
      case 'upload':
        return this.toDiscord.entries.filter(({ files }) => files.length > 0);
      default:
        return this.toGateway.entries.filter(({ path }) => gatewayPaths[moment].path.test(path));
    }
  }

  #place(trouble: Of<'discord'>): void {
    const { do: fault, ...order } = trouble.order;
    const left = this.#atDiscord.get(trouble) ?? 0;
    if (left === 0) return;
    const strike = (): void => {
      this.#atDiscord.set(trouble, (this.#atDiscord.get(trouble) ?? 1) - 1);
      this.#note(`Discord: ${trouble.name}`);
    };
    this.discord.faults.add({
      ...order,
      times: left,
      // The request log reads this value when a fault is injected, and reports it nowhere else.
      get do() {
        strike();
        return fault;
      },
    });
  }

  #takeBack(trouble: Of<'gateway'>): void {
    const { faults } = this.gateway;
    const id = this.#atGateway.get(trouble);
    const standing = faults.list().find((fault) => fault.id === id);
    this.#atGateway.delete(trouble);
    if (!standing) return;
    faults.remove(standing.id);
    this.#note(`gateway: ${trouble.name}`, -standing.left);
  }

  #socket(name: Of<'socket'>['name']): void {
    const { gateway } = this.discord;
    if (gateway.sessions === 0) return;
    this.#note(name);
    if (name === 'cut') gateway.dropConnections();
    else if (name === 'reconnect ordered') gateway.requestReconnect();
    else gateway.invalidate(name === 'session suspended');
  }

  #note(name: string, times = 1): void {
    this.struck.set(name, (this.struck.get(name) ?? 0) + times);
  }
}
