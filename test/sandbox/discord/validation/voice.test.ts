import { describe, expect, it } from 'vitest';
import { type BodyKind, validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { button, EPHEMERAL, row, upload } from './bodies.ts';

const VOICE_FLAG = 1 << 13;
const audioFile = { ...upload('voice-message.ogg'), isAudio: true };
const voiceAttachment = { id: 0, filename: 'voice-message.ogg', duration_secs: 1.5, waveform: 'AAAA' };
const kinds: BodyKind[] = ['channel-message', 'webhook-message'];

const violationsOf = (kind: BodyKind, overrides: object = {}, files: object[] = [audioFile], attachment: object = {}) =>
  validateBody(
    kind,
    { flags: VOICE_FLAG, attachments: [{ ...voiceAttachment, ...attachment }], ...overrides },
    {
      files: files as (typeof audioFile)[],
    },
  ).map(({ path, errorCode, code }) => [path, errorCode ?? code]);

describe.each(kinds)('A voice message as %s', (kind) => {
  it('A voice message is one audio file with duration and waveform, and may be a reply', () => {
    expect(violationsOf(kind)).toEqual([]);
    expect(violationsOf(kind, { content: '', embeds: [], components: [], tts: false })).toEqual([]);
    expect(violationsOf(kind, { allowed_mentions: { parse: [] } })).toEqual([]);
  });

  it.each([
    ['content', 'hello'],
    ['embeds', [{ description: 'x' }]],
    ['components', [row(button('a'))]],
  ])('A voice message cannot have %s', (name, value) => {
    expect(violationsOf(kind, { [name]: value })).toEqual([[name, 50159]]);
  });

  it('A voice message cannot have a poll', () => {
    const poll = { question: { text: '?' }, answers: [{ poll_media: { text: 'a' } }] };
    expect(violationsOf(kind, { poll })).toContainEqual(['poll', 50159]);
  });

  it('A voice message must have exactly one file, which must be audio', () => {
    expect(violationsOf(kind, {}, [])).toContainEqual(['attachments', 50160]);
    expect(violationsOf(kind, {}, [{ ...audioFile, isAudio: false }])).toEqual([['attachments', 50160]]);
    expect(violationsOf(kind, {}, [audioFile, { ...audioFile, id: '1' }])).toEqual([['attachments', 50160]]);
  });

  it.each([{ duration_secs: undefined }, { duration_secs: 0 }, { waveform: null }, { waveform: '' }])(
    'A voice message requires a duration and a waveform: %j',
    (attachment) => {
      expect(violationsOf(kind, {}, [audioFile], attachment)).toEqual([['attachments', 50161]]);
    },
  );

  it('A waveform has at most 256 bytes', () => {
    const waveform = (bytes: number) => ({ waveform: Buffer.alloc(bytes).toString('base64') });
    const violations = [['attachments[0].waveform', 'VOICE_MESSAGE_WAVEFORM_INVALID']];
    expect(violationsOf(kind, {}, [audioFile], waveform(256))).toEqual([]);
    expect(violationsOf(kind, {}, [audioFile], waveform(257))).toEqual(violations);
    expect(violationsOf(kind, {}, [audioFile], { waveform: 'not base64!' })).toEqual(violations);
  });
});

it('An ephemeral response may be a voice message', () => {
  const data = { flags: VOICE_FLAG | EPHEMERAL, attachments: [voiceAttachment] };
  expect(validateBody('callback', { type: 4, data }, { files: [audioFile] })).toEqual([]);
});

it('A duration without the voice flag is accepted and does not create a voice message', () => {
  expect(validateBody('channel-message', { attachments: [voiceAttachment] }, { files: [audioFile] })).toEqual([]);
});

describe('An edit', () => {
  const voiceMessage = { flags: VOICE_FLAG, attachmentNames: ['voice-message.ogg'] };

  it.each([{ content: 'x' }, { attachments: [] }, { components: [row(button('a'))] }])(
    'An edit cannot change a voice message: %j',
    (body) => {
      const [violation] = validateBody('channel-edit', body, { files: [], previous: voiceMessage });
      expect(violation).toMatchObject({ errorCode: 50162 });
    },
  );

  it('An edit cannot turn a message into a voice message', () => {
    const plainMessage = { flags: 0, attachmentNames: [] };
    expect(
      validateBody('webhook-edit', { content: 'x', flags: VOICE_FLAG }, { files: [], previous: plainMessage }),
    ).toMatchObject([{ path: 'flags', code: 'MESSAGE_FLAG_NOT_ALLOWED' }]);
  });
});
