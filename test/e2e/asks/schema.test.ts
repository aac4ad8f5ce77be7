import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { itVariants } from '../../support/variants.ts';
import { type FastClockFixture, labels, startFastClockBot } from '../quick.ts';
import { bytesOf, errorsIn } from '../tasks/fixture.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

const prompt = 'a sad fox';
const strictObject = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const fox = strictObject({ mood: { enum: ['happy', 'sad'] }, legs: { type: 'integer', minimum: 3 } });
const file = (schema: unknown, name = 'fox.json') => ({ name, bytes: Buffer.from(JSON.stringify(schema)) });
const lastFormat = ({ gateway }: FastClockFixture) => modelRequests(gateway).at(-1)?.text;
const noFormatFault = { do: 'no-format', times: 100 } as const;

describe('Schemas in /ask', () => {
  const startFixture = () => startFastClockBot({ settings: models, gateway: { speed: 20 } });

  it('An answer with a schema is formatted JSON in one message and in a file', async () => {
    const fixture = await startFixture();
    const exchange = await fixture.discord.as('member').slash('ask', { prompt, schema: file(fox) });
    const final = await exchange.message(hasEnded);
    const format = { type: 'json_schema', name: 'answer', schema: fox, strict: true };
    expect(modelRequests(fixture.gateway)).toEqual([expect.objectContaining({ text: { format } })]);
    expect(modelRequests(fixture.gateway)[0]).not.toHaveProperty('tools');
    const expectedJson = JSON.stringify(JSON.parse(latestAnswer(fixture.gateway)), null, 2);
    expect(text(final)).toContain(`\`\`\`json\n${expectedJson}\n\`\`\``);
    expect(text(final)).not.toContain('does not match');
    expect(final.attachments.map(({ filename }) => filename)).toEqual([
      expect.stringMatching(/^[a-z-]+-answer\.json$/),
    ]);
    expect((await bytesOf(final, 0)).toString()).toBe(expectedJson);
    expect(fixture.logged()).not.toContain('mood');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('An answer that does not match the schema is shown with the location of each mismatch and what was expected', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^\\d{40}$' } } };
    const options = { prompt, schema_text: JSON.stringify(schema) };
    const final = await (await fixture.discord.as('member').slash('ask', options)).message(hasEnded);
    expect(lastFormat(fixture)).toMatchObject({ format: { strict: false, schema } });
    expect(text(final)).toContain('The answer does not match the schema:');
    expect(text(final)).toContain('`/code` does not match `pattern: ^\\d{40}$`.');
  });

  it('The message of a long answer shows its beginning, and the file contains all of it', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const schema = strictObject({ list: { type: 'array', minItems: 200, maxItems: 200, items: { type: 'string' } } });
    const exchange = await fixture.discord.as('member').slash('ask', { prompt, schema: file(schema) });
    const final = await exchange.message(hasEnded);
    expect(fixture.discord.messages('studio')).toHaveLength(1);
    expect(text(final)).toContain('…\n```');
    expect(text(final)).toMatch(/The full answer is in the attached file `[^`]*answer\.json`\./);
    expect(JSON.parse((await bytesOf(final, 0)).toString()).list).toHaveLength(200);
  });

  it('A model without output formats receives the schema in its instructions, and an answer that is not JSON is shown as text', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    fixture.gateway.faults.add(noFormatFault);
    const options = { prompt, schema: file(fox), instructions: 'Be brief.' };
    const final = await (await fixture.discord.as('member').slash('ask', options)).message(hasEnded);
    const lastRequest = modelRequests(fixture.gateway).at(-1);
    expect(lastRequest).not.toHaveProperty('text');
    expect(lastRequest?.instructions).toMatch(/^Be brief\./);
    expect(lastRequest?.instructions).toContain(JSON.stringify(fox));
    expect(text(final)).toContain('received the schema as part of its instructions');
    expect(text(final)).toContain('did not return valid JSON');
    expect(final.attachments).toEqual([]);
    // The bot remembers that the model has no output formats, and still sends the schema in the instructions.
    const count = modelRequests(fixture.gateway).length;
    await (await fixture.discord.as('member').slash('ask', { prompt: 'a happy fox', schema: file(fox) })).message(
      hasEnded,
    );
    expect(modelRequests(fixture.gateway)).toHaveLength(count + 1);
    expect(modelRequests(fixture.gateway).at(-1)?.instructions).toContain(JSON.stringify(fox));
  });

  it('Continue and Retry keep the schema, and a new question does not', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture();
    const member = fixture.discord.as('member');
    fixture.gateway.faults.add({ do: { type: 'text', how: 'cut', after: 4 } });
    const cutAnswer = await (await member.slash('ask', { prompt, schema: file(fox) })).message(hasEnded);
    expect(labels(cutAnswer)).toContain('Retry');
    fixture.clock.advance(5_000);
    const second = await (await member.click(cutAnswer, 'Retry')).message(hasEnded);
    expect(lastFormat(fixture)).toMatchObject({ format: { schema: fox } });
    expect(second.attachments).toHaveLength(1);
    const form = await (await member.click(second, 'Continue')).modal();
    await (await member.fill(form, { 'Your next question': 'and a happy one?' })).message(hasEnded);
    expect(lastFormat(fixture)).toMatchObject({ format: { schema: fox } });
    await (await member.slash('ask', { prompt: 'and in words?' })).message(hasEnded);
    expect(lastFormat(fixture)).toBeUndefined();
  });
});

describe('A schema that cannot be used', () => {
  itVariants([
    ['that is given twice', { schema: file(fox), schema_text: '{"type":"object"}' }, 'Use one of them'],
    ['whose text is not JSON', { schema_text: 'an object' }, 'not valid JSON'],
    ['whose file is not JSON', { schema: { name: 'a.json', bytes: Buffer.from('an object') } }, 'not valid JSON'],
    ['whose file is a PDF', { schema: { name: 'a.json', bytes: Buffer.from('%PDF-1.7 nothing') } }, 'not valid JSON'],
    ['whose root is not an object', { schema_text: '{"type":"array"}' }, 'contains `"type": "object"`'],
    ['that is too large', { schema: file({ type: 'object', title: 'x'.repeat(70_000) }) }, 'larger than 64 KiB'],
    ['that is invalid', { schema: file({ type: 'object', required: 'a' }) }, 'the value at `/required` is not allowed'],
  ])('A schema %s is refused privately, and nothing is sent to the gateway', async (_, options, expectedText) => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const exchange = await fixture.discord.as('member').slash('ask', { prompt, ...options });
    const refusal = await exchange.ephemeral((message) => text(message).includes(expectedText));
    expect(refusal.ephemeral).toBe(true);
    expect(modelRequests(fixture.gateway)).toEqual([]);
    const publicMessages = fixture.discord.messages('studio').filter(({ ephemeral }) => !ephemeral);
    expect(publicMessages.map(text).join()).not.toContain(expectedText);
    expect(errorsIn(fixture)).toEqual([]);
  });
});
