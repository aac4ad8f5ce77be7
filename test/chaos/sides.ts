import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import { CompleteLog } from './complete-log.ts';
import type { Step } from './plan.ts';
import { discordRoutes, type ExternalFault, type FaultOf, gatewayPaths } from './troubles.ts';
import { promptIn } from './words.ts';

const { acknowledgement, answer, edit, post } = discordRoutes;

/** The two servers, which outlive the bot: the faults that they inject, and the requests that they received. */
export class EmbeddedServers {
  readonly discord: EmbeddedDiscord;
  readonly gateway: EmbeddedGateway;
  readonly discordLog: CompleteLog<RecordedRequest>;
  readonly gatewayLog: CompleteLog<RecordedGatewayRequest>;
  /** How often each fault was injected. */
  readonly injectionCounts = new Map<string, number>();
  readonly tokensExpiredAt: number[] = [];
  /** The words in the images of a job's request, which the gateway discards after reading them. */
  readonly imageWords = new Map<string, string>();
  /** Active faults, with how often each may still be injected. */
  readonly #discordFaults = new Map<FaultOf<'discord'>, number>();
  /** Active faults, with the numbers that the gateway assigned to them. */
  readonly #gatewayFaults = new Map<FaultOf<'gateway'>, number>();

  constructor(discord: EmbeddedDiscord, gateway: EmbeddedGateway) {
    this.discord = discord;
    this.gateway = gateway;
    this.discordLog = new CompleteLog(discord.requests);
    this.gatewayLog = new CompleteLog(gateway.requests);
    gateway.jobs.on('change', ({ id, details }, previous) => {
      const words = details.sources.map((one) => (one.from === 'request' ? one.bytes.toString('latin1') : one.url));
      const prompt = promptIn(words.join(' '));
      if (!previous && prompt !== undefined) this.imageWords.set(id, prompt);
    });
  }

  readLogs(): void {
    this.discordLog.catchUp();
    this.gatewayLog.catchUp();
  }

  inject(fault: ExternalFault): void {
    if (fault.of === 'socket') this.#disruptSocket(fault.name);
    else if (fault.of === 'tokens') {
      this.tokensExpiredAt.push(Date.now());
      this.discord.expireTokens();
      this.#count(fault.name);
    } else if (fault.of === 'discord') {
      this.#discordFaults.set(fault, fault.order.times ?? 1);
      this.#activate(fault);
    } else {
      this.#count(`gateway: ${fault.name}`, fault.order.times);
      this.#gatewayFaults.set(fault, this.gateway.faults.add(fault.order));
    }
  }

  /** Removes a fault if it has not been injected yet. */
  withdraw(fault: ExternalFault): void {
    if (fault.of === 'gateway') this.#removeFromGateway(fault);
    if (fault.of !== 'discord' || !this.#discordFaults.delete(fault)) return;
    // The embedded Discord can only clear all of its faults.
    this.discord.faults.clear();
    for (const otherFault of this.#discordFaults.keys()) this.#activate(otherFault);
  }

  clearFaults(): void {
    for (const fault of [...this.#gatewayFaults.keys()]) this.#removeFromGateway(fault);
    this.#discordFaults.clear();
    this.discord.faults.clear();
  }

  /** How often the bot has reached this step. */
  countRequestsAt(step: Step): number {
    return this.requestsAt(step).length;
  }

  /** The bot's requests at this step, oldest first. */
  requestsAt(step: Step): readonly (RecordedRequest | RecordedGatewayRequest)[] {
    this.readLogs();
    const requestsFor = (...matching: { method: string; route: string }[]): RecordedRequest[] =>
      this.discordLog.entries.filter((one) =>
        matching.some(({ method, route }) => one.method === method && one.route === route),
      );
    switch (step) {
      case 'anything':
        return [];
      case 'acknowledgement':
        return requestsFor(acknowledgement);
      case 'edit':
        return requestsFor(answer, edit);
      case 'post':
        return requestsFor(post);
      case 'upload':
        return this.discordLog.entries.filter(({ files }) => files.length > 0);
      default:
        return this.gatewayLog.entries.filter(({ path }) => gatewayPaths[step].path.test(path));
    }
  }

  #activate(trouble: FaultOf<'discord'>): void {
    const { do: fault, ...order } = trouble.order;
    const remaining = this.#discordFaults.get(trouble) ?? 0;
    if (remaining === 0) return;
    const countInjection = (): void => {
      this.#discordFaults.set(trouble, (this.#discordFaults.get(trouble) ?? 1) - 1);
      this.#count(`Discord: ${trouble.name}`);
    };
    this.discord.faults.add({
      ...order,
      times: remaining,
      // The embedded Discord reads this value when it injects the fault, and does not report the injection in any other way.
      get do() {
        countInjection();
        return fault;
      },
    });
  }

  #removeFromGateway(fault: FaultOf<'gateway'>): void {
    const { faults } = this.gateway;
    const id = this.#gatewayFaults.get(fault);
    const pending = faults.list().find((fault) => fault.id === id);
    this.#gatewayFaults.delete(fault);
    if (!pending) return;
    faults.remove(pending.id);
    this.#count(`gateway: ${fault.name}`, -pending.left);
  }

  #disruptSocket(name: FaultOf<'socket'>['name']): void {
    const { gateway } = this.discord;
    if (gateway.sessions === 0) return;
    this.#count(name);
    if (name === 'cut') gateway.dropConnections();
    else if (name === 'reconnect ordered') gateway.requestReconnect();
    else gateway.invalidate(name === 'session suspended');
  }

  #count(name: string, times = 1): void {
    this.injectionCounts.set(name, (this.injectionCounts.get(name) ?? 0) + times);
  }
}
