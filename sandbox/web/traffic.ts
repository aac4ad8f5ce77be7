import { EventEmitter } from 'node:events';
import type { RecordedRequest } from '../discord/request-log.ts';
import type { SentCallback } from '../gateway/callbacks.ts';
import type { RecordedGatewayRequest } from '../gateway/request-log.ts';
import type { Exchange } from './protocol.ts';
import { shorten, shortenJson } from './shorten.ts';

const MAX_EXCHANGES = 300;
/** Paths with an interaction token, with which anyone could respond as the bot. */
const TOKEN_IN_PATH = /(\/(?:webhooks|interactions)\/\d+\/)[^/]+/;

/** The requests that the bot sends and receives, and their responses, without secrets. */
export class Traffic extends EventEmitter<{ exchange: [Exchange] }> {
  readonly exchanges: Exchange[] = [];
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    super();
    this.#secrets = secrets;
  }

  addDiscordRequest(request: RecordedRequest): void {
    const { id, at, method, path, status, body, files, ms, responseText, violations } = request;
    this.#add({
      id: `d${id}`,
      side: 'discord',
      at,
      method,
      status,
      path: path.replace(TOKEN_IN_PATH, '$1…'),
      ...(body !== undefined && { request: shorten(body) }),
      ...(files.length > 0 && { files }),
      ...(ms !== undefined && { ms }),
      ...(responseText && { answer: shortenJson(responseText) }),
      verdict: violations ?? 'fine',
    });
  }

  addGatewayRequest({ id, at, method, path, query, status, body, ms, responseText }: RecordedGatewayRequest): void {
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`);
    this.#add({
      id: `g${id}`,
      side: 'gateway',
      at,
      method,
      status,
      path: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
      ...(body !== undefined && { request: shorten(body) }),
      ...(ms !== undefined && { ms }),
      ...(responseText && { answer: shortenJson(responseText) }),
      verdict: 'fine',
    });
  }

  addCallback({ id, at, path, status, body, ms }: SentCallback): void {
    this.#add({
      id: `c${id}`,
      side: 'callback',
      at,
      path,
      status,
      ms,
      method: 'POST',
      request: shorten(body),
      verdict: 'fine',
    });
  }

  #add(exchange: Exchange): void {
    const text = JSON.stringify(exchange);
    const redactedText = this.#secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
    const redactedExchange = redactedText === text ? exchange : (JSON.parse(redactedText) as Exchange);
    this.exchanges.push(redactedExchange);
    if (this.exchanges.length > MAX_EXCHANGES) this.exchanges.shift();
    this.emit('exchange', redactedExchange);
  }
}
