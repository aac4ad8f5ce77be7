import { EventEmitter } from 'node:events';
import type { RecordedRequest } from '../discord/request-log.ts';
import type { RecordedGatewayRequest } from '../gateway/request-log.ts';
import { brief, briefText } from './brief.ts';
import type { Exchange } from './protocol.ts';

const MOST = 300;
/** Paths with an interaction token, which would let anyone respond as the bot. */
const TOKEN_ADDRESS = /(\/(?:webhooks|interactions)\/\d+\/)[^/]+/;

/** The bot's requests to both sides and their responses, without secrets. */
export class Traffic extends EventEmitter<{ exchange: [Exchange] }> {
  readonly exchanges: Exchange[] = [];
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    super();
    this.#secrets = secrets;
  }

  discord(heard: RecordedRequest): void {
    const { id, at, method, path, status, body, files, ms, answer, violations } = heard;
    this.#add({
      id: `d${id}`,
      side: 'discord',
      ...{ at, method, status },
      path: path.replace(TOKEN_ADDRESS, '$1…'),
      ...(body !== undefined && { request: brief(body) }),
      ...(files.length > 0 && { files }),
      ...(ms !== undefined && { ms }),
      ...(answer && { answer: briefText(answer) }),
      verdict: violations ?? 'fine',
    });
  }

  gateway({ id, at, method, path, query, status, body, ms, answer }: RecordedGatewayRequest): void {
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`);
    this.#add({
      id: `g${id}`,
      side: 'gateway',
      ...{ at, method, status },
      path: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
      ...(body !== undefined && { request: brief(body) }),
      ...(ms !== undefined && { ms }),
      ...(answer && { answer: briefText(answer) }),
      verdict: 'fine',
    });
  }

  #add(exchange: Exchange): void {
    const text = JSON.stringify(exchange);
    const hidden = this.#secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
    const shown = hidden === text ? exchange : (JSON.parse(hidden) as Exchange);
    this.exchanges.push(shown);
    if (this.exchanges.length > MOST) this.exchanges.shift();
    this.emit('exchange', shown);
  }
}
