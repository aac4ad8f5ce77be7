import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { createGateway, type Gateway } from '../../../src/services/gateway/gateway.ts';
import type { TextEvent } from '../../../src/services/gateway/response-events.ts';
import { defaultSettings } from '../../../src/services/gateway/settings.ts';

type Responder = (response: ServerResponse) => void;

async function startFixture(
  respond: Responder,
): Promise<{ gateway: Gateway; requestCount(): number; closed: Promise<unknown> }> {
  let count = 0;
  let close: (value?: unknown) => void = () => undefined;
  const closed = new Promise((resolve) => {
    close = resolve;
  });
  const server = createServer((request, response) => {
    count += 1;
    response.once('close', close);
    request.resume().once('end', () => respond(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { submitMs: 300, silenceMs: 300, wholeTextMs: 300, streamMs: 500, wholeBodyMs: 500 };
  const gateway = createGateway({ ...defaultSettings, baseUrl, apiKey: 'sk-secret' }, {}, limits);
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  });
  return { gateway, requestCount: () => count, closed };
}

const respondWith =
  (body: string, type?: string, status = 200): Responder =>
  (response) => {
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
  };

async function streamEvents({ gateway }: { gateway: Gateway }): Promise<TextEvent[] | GatewayError> {
  const events: TextEvent[] = [];
  try {
    for await (const event of gateway.responses.stream({ model: 'm', input: 'Hi' })) events.push(event);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  return events;
}

const json = JSON.stringify({ id: 'r', object: 'response', output: [{ type: 'message', content: 'Hello' }] });
const stream = `data: {"type":"response.output_text.delta","delta":"Hello"}\n\ndata: {"type":"response.completed","response":{}}\n\n`;
const EVENT_STREAM = 'text/event-stream';

describe('The streaming client of the gateway', () => {
  it.each([
    ['a stream', stream, `${EVENT_STREAM}; charset=utf-8`],
    ['a stream without a content type', stream, undefined],
    ['a stream labelled as JSON', stream, 'application/json'],
    ['a stream after empty lines and a comment', `\n\n: wait\n\n${stream}`, EVENT_STREAM],
    ['JSON', json, 'application/json'],
    ['JSON labelled as a stream', ` \n${json}`, EVENT_STREAM],
  ])('The streaming client recognizes %s from the body itself', async (_name, body, type) => {
    const received = await streamEvents(await startFixture(respondWith(body, type)));
    expect(received).toMatchObject([{ type: 'created' }, { type: 'text', delta: 'Hello' }, { type: 'completed' }]);
  });

  it.each([
    [
      'an HTML page',
      '<html><title>Oops</title></html>',
      'text/html',
      200,
      { kind: 'malformed', mayHaveTakenEffect: true },
    ],
    ['an empty body', '', EVENT_STREAM, 200, { kind: 'malformed', mayHaveTakenEffect: true }],
    ['truncated JSON', '{"id":', EVENT_STREAM, 200, { kind: 'malformed', mayHaveTakenEffect: true }],
    [
      'an error in a 200 response',
      '{"error":{"code":"insufficient_user_quota"}}',
      EVENT_STREAM,
      200,
      { kind: 'quota' },
    ],
    [
      'a refusal labelled as a stream',
      '{"error":{"message":"No","code":"invalid_api_key"}}',
      EVENT_STREAM,
      401,
      { kind: 'unauthorized', message: 'No' },
    ],
    [
      'an HTML page with status 502',
      '<html><title>Bad</title></html>',
      'text/html',
      502,
      { kind: 'unavailable', mayHaveTakenEffect: true },
    ],
  ])('The streaming client throws on %s and does not retry', async (_name, body, type, status, expected) => {
    const fixture = await startFixture(respondWith(body, type, status));
    const error = await streamEvents(fixture);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject(expected);
    expect((error as GatewayError).message).not.toMatch(/[<>]/);
    expect(fixture.requestCount()).toBe(1);
  });

  it('The streaming client does not follow redirects, because a submit must be sent only once', async () => {
    const fixture = await startFixture((response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect(await streamEvents(fixture)).toMatchObject({ kind: 'not-offered', code: 'redirected' });
    expect(fixture.requestCount()).toBe(1);
  });

  it('The streaming client closes the connection to a gateway that sends nothing after its headers', async () => {
    const fixture = await startFixture((response) =>
      response.writeHead(200, { 'content-type': EVENT_STREAM }).flushHeaders(),
    );
    expect(await streamEvents(fixture)).toMatchObject({
      kind: 'unreachable',
      code: 'UND_ERR_BODY_TIMEOUT',
      mayHaveTakenEffect: true,
    });
    await fixture.closed;
  });

  it.each([
    ['comments', EVENT_STREAM, ': keepalive\n\n'],
    ['events', EVENT_STREAM, 'data: {"type":"response.in_progress"}\n\n'],
    ['spaces before JSON', 'application/json', ' '],
  ])(
    'The streaming client ends a response that sends %s without end, and closes the connection',
    async (_name, type, piece) => {
      let sending: NodeJS.Timeout | undefined;
      onTestFinished(() => clearInterval(sending));
      const fixture = await startFixture((response) => {
        response.writeHead(200, { 'content-type': type });
        sending = setInterval(() => response.write(piece), 20);
      });
      const received = await streamEvents(fixture);
      const error =
        received instanceof GatewayError
          ? received
          : received.map((event) => 'response' in event && event.response.error).at(-1);
      expect(error).toMatchObject({ kind: 'unreachable', code: 'UND_ERR_BODY_TIMEOUT', mayHaveTakenEffect: true });
      await fixture.closed;
    },
  );

  it('The client ends a body that arrives without end', async () => {
    let sending: NodeJS.Timeout | undefined;
    onTestFinished(() => clearInterval(sending));
    const { gateway, closed } = await startFixture((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      sending = setInterval(() => response.write(' '), 20);
    });
    const response = gateway.responses.stream({ model: 'm', input: 'Hi' }, { isBuffered: true });
    await expect(response.next()).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'UND_ERR_BODY_TIMEOUT',
    });
    await closed;
  });

  it('The streaming client stops reading at the end event even if the gateway keeps the connection open', async () => {
    const fixture = await startFixture((response) =>
      response.writeHead(200, { 'content-type': EVENT_STREAM }).write(stream),
    );
    expect(await streamEvents(fixture)).toHaveLength(3);
    await fixture.closed;
  });
});
