import { alternate, comparison, medianOf, ratioOf } from '../compare.ts';
import { launch, stop } from '../harness/program.ts';
import { messageFrom } from './child.ts';
import { DiscordHarness } from './discord-harness.ts';
import type { Assignment, EditFigures, Editor } from './editor.ts';

const ROUNDS = 3;
const TOKEN_COUNT = 1_000;
const TARGET_RATIO = 10;

const editors: Readonly<Record<Editor, string>> = { default: 'default client.rest', bot: "Atelier's tokenRest" };

interface Round extends EditFigures {
  /** The share of one core that the embedded servers use during the edits. */
  serversCpu: number;
}

/** Makes the same edits with the same tokens, alternating between discord.js's default REST client and the bot's own. */
export async function measureEdits(): Promise<void> {
  const harness = await DiscordHarness.create();
  try {
    const tokens = await harness.request('tokens', { count: TOKEN_COUNT });
    report(await alternate(editors, ROUNDS, (editor) => runEditor(harness, editor, tokens)));
  } finally {
    await harness.close();
  }
}

async function runEditor(harness: DiscordHarness, editor: Editor, tokens: readonly string[]): Promise<Round> {
  const child = launch(new URL('editor.ts', import.meta.url));
  try {
    child.send({ editor, serverInfo: harness.serverInfo, tokens } satisfies Assignment);
    const startedAt = performance.now();
    const cpuBefore = await harness.request('cpuTime', null);
    const figures = await messageFrom<EditFigures>(child);
    const cpuAfter = await harness.request('cpuTime', null);
    const micros = (performance.now() - startedAt) * 1_000;
    return { ...figures, serversCpu: (cpuAfter.cpuMicros - cpuBefore.cpuMicros) / micros };
  } finally {
    await stop(child);
  }
}

function report(results: Record<Editor, Round[]>): void {
  console.log(`
PATCH @original with ${TOKEN_COUNT.toLocaleString('en')} interaction tokens, after the first burst, median of ${ROUNDS} rounds.
The embedded Discord's limit per token is lifted and its global limit does not apply here, so only the client's own limit remains.
Target: ratio at least ${TARGET_RATIO}.
`);
  console.log(
    comparison(editors, results, [
      ['edits/s', medianOf(({ perSecond }) => perSecond)],
      ['ratio', ratioOf(({ perSecond }) => perSecond, 1)],
      ['CPU µs/edit', medianOf(({ cpuMicrosPerEdit }) => cpuMicrosPerEdit)],
      ['embedded Discord CPU', medianOf(({ serversCpu }) => 100 * serversCpu, 0, '%')],
    ]),
  );
}
