import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { samplesFrom } from '../../../sandbox/gateway/realtime/input-buffer.ts';
import type { Pcm } from '../../../src/lib/pcm.ts';
import type { LedgerEntry } from '../../../src/services/money/entry.ts';
import { fileOf } from '../../../src/services/store/backend.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import type { Fixture } from '../bot.ts';

/** A reply as the gateway sent it over the socket. */
interface SentReply {
  id: string;
  status?: string;
  tokens?: { input: number; output: number; audioOutput: number };
  /** The audio of the reply, in the pieces in which it was sent. */
  audio: Buffer[];
}

export interface SessionLog {
  /** The replies by their ids, in order. */
  replies: Map<string, SentReply>;
  /** The number of requests for a reply. */
  requestCount(): number;
  /** The audio of each utterance that was committed, in order. */
  utteranceAudio: Pcm[];
}

type Frame = {
  type?: string;
  response_id?: string;
  delta?: string;
  audio?: string;
  response?: { id: string; status: string; usage?: Usage | null };
};
type Usage = { input_tokens: number; output_tokens: number; output_token_details: { audio_tokens: number } };

/** Records every session of a gateway from now on, without affecting it. */
export function recordSessions({ realtime }: EmbeddedGateway): SessionLog {
  const replies = new Map<string, SentReply>();
  const utteranceAudio: Pcm[] = [];
  let requestCount = 0;
  let chunks: Buffer[] = [];
  realtime.on('open', ({ client }) => {
    const { send } = client;
    vi.spyOn(client, 'send').mockImplementation((event, times) => {
      recordEvent(event as Frame, replies);
      send.call(client, event, times);
    });
  });
  realtime.on('received', (_session, event) => {
    const { type, audio = '' } = (event ?? {}) as Frame;
    if (type === 'response.create') requestCount += 1;
    if (type === 'input_audio_buffer.append') chunks.push(Buffer.from(audio, 'base64'));
    if (type !== 'input_audio_buffer.commit') return;
    utteranceAudio.push(samplesFrom(Buffer.concat(chunks)));
    chunks = [];
  });
  return { replies, utteranceAudio, requestCount: () => requestCount };
}

function recordEvent(
  { type = '', response, response_id = '', delta = '' }: Frame,
  replies: Map<string, SentReply>,
): void {
  if (type === 'response.created' && response) replies.set(response.id, { id: response.id, audio: [] });
  const reply = replies.get(response?.id ?? response_id);
  if (reply && /audio\.delta$/.test(type)) reply.audio.push(Buffer.from(delta, 'base64'));
  if (!reply || type !== 'response.done' || !response) return;
  reply.status = response.status;
  const { usage } = response;
  if (!usage) return;
  const { input_tokens: input, output_tokens: output, output_token_details: details } = usage;
  reply.tokens = { input, output, audioOutput: details.audio_tokens };
}

function readRows<Value>({ config }: Pick<Fixture, 'config'>, namespace: string): Value[] {
  const database = new DatabaseSync(fileOf(config.store), { readOnly: true });
  const storedRows = database.prepare('SELECT value FROM atelier WHERE namespace = ?').all(namespace);
  database.close();
  return storedRows.map(({ value }) => JSON.parse(String(value)).value as Value);
}

/** All tasks in the bot's store, read directly from its file. */
export const storedTasks = (fixture: Pick<Fixture, 'config'>): Task[] => [
  ...readRows<Task>(fixture, 'live'),
  ...readRows<Task>(fixture, 'finished'),
];
export const storedEntries = (fixture: Pick<Fixture, 'config'>): LedgerEntry[] =>
  readRows<LedgerEntry>(fixture, 'ledger');

/** The number of replies that the gateway has charged. */
export const chargedReplyCount = ({ usage }: EmbeddedGateway): number =>
  usage.rows('sk-sandbox').reduce((sum, { requests }) => sum + requests, 0);
