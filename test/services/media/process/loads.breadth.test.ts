import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';

const reportSchema = z.object({
  done: z.array(z.number().positive()),
  loaded: z.string().array(),
  native: z.string().array(),
});

it("The bot's main process loads no library that decodes or draws, even after the media process has decoded and drawn files for it", async () => {
  const program = fileURLToPath(new URL('./loads.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 10_000_000 });
  const { done, loaded, native } = reportSchema.parse(JSON.parse(stdout));
  expect(done).toHaveLength(4);
  const packages = [...loaded, ...native].flatMap(
    (name) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? [],
  );
  // Proves that the check works: modules that the bot does use are found.
  expect(packages).toContain('@discordjs/rest');
  const forbidden = /^(sharp|@img\/.*|libopus-wasm|mpg123-decoder|@wasm-audio-decoders\/.*)$/;
  expect(packages.filter((name) => forbidden.test(name))).toEqual([]);
});
