import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type LedgerEntry, standingOf } from '../../../../src/services/money/entry.ts';
import { says, startFastClockBot } from '../../../e2e/quick.ts';

import { shippedArgs } from '../../../support/shipped.ts';
import { createStoreFixture, createTemporaryFolder, sql } from '../../store/store-fixture.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

function runScript(path: string, env: Record<string, string>): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, shippedArgs(path), { cwd: root, env }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr });
    });
  });
}

describe('The shipped bot', () => {
  it("The shipped bot writes every order into its ledger, with its outcome and the operator's price", async () => {
    const path = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(path, '{"imagine": 0.050}');
    const { discord, gateway, app, config } = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { PRICES: path },
    });
    const member = discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    gateway.faults.add({ do: 'moderated' });
    await (await member.slash('imagine', { prompt: 'something' })).message(says('This task failed'));
    gateway.faults.clear();
    gateway.faults.add({ on: { path: /submit/ }, do: 'quota' });
    await (await member.slash('imagine', { prompt: 'a hare' })).message(says('used up'));
    await app.stop();
    const rows = sql(config.store.url.replace('sqlite://', ''), "SELECT value FROM atelier WHERE namespace = 'ledger'");
    const entries = rows.map(({ value }) => (JSON.parse(String(value)) as { value: LedgerEntry }).value);
    expect(entries.map(standingOf).sort()).toEqual(['refunded', 'refunded', 'settled']);
    for (const entry of entries) expect(entry).toMatchObject({ kind: 'imagine', facts: [{ amount: '0.050' }, {}] });
    expect(new Set(entries.map(({ memberId }) => memberId)).size).toBe(1);
  });
});

describe('An invalid PRICES file', { tags: ['breadth'] }, () => {
  it('An invalid PRICES file keeps the bot from starting, with an error that names the expected file', async () => {
    const path = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(path, '{"imagine": "a lot"}');
    const { file } = createStoreFixture();
    const env = {
      PATH: process.env.PATH ?? '',
      STORE_URL: `sqlite://${file}`,
      PRICES: path,
      DISCORD_TOKEN: 'a.b.c',
      GATEWAY_BASE_URL: 'http://127.0.0.1:1',
      GATEWAY_API_KEY: 'sk-x',
    };
    const { code, output } = await runScript('src/index.ts', env);
    expect(code).toBe(78);
    expect(output).toContain('PRICES should be the path of a JSON file');
    expect(output).not.toContain('a lot');
  });
});
