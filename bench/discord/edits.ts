import { median, table } from '../table.ts';
import { end, messageFrom, start } from './child.ts';
import type { Assignment, EditFigures, Editor } from './editor.ts';
import { Stage } from './stage.ts';

const ROUNDS = 3;
const TOKENS = 1_000;
const TARGET = 10;

const editors: Readonly<Record<Editor, string>> = { default: 'default client.rest', bot: "Atelier's tokenRest" };

interface Round extends EditFigures {
  /** The share of one core while editing. */
  sidesCpu: number;
}

/** Measures the same edits with the same tokens, alternating between a default client's REST and the bot's own. */
export async function measureEdits(): Promise<void> {
  const results: Record<Editor, Round[]> = { default: [], bot: [] };
  const stage = await Stage.open();
  try {
    const tokens = await stage.ask('tokens', { count: TOKENS });
    for (let round = 0; round < ROUNDS; round++) {
      for (const editor of ['default', 'bot'] as const) results[editor].push(await edit(stage, editor, tokens));
    }
  } finally {
    await stage.close();
  }
  report(results);
}

async function edit(stage: Stage, editor: Editor, tokens: readonly string[]): Promise<Round> {
  const child = start(new URL('editor.ts', import.meta.url));
  try {
    child.send({ editor, served: stage.served, tokens } satisfies Assignment);
    const began = performance.now();
    const before = await stage.ask('strain', null);
    const figures = await messageFrom<EditFigures>(child);
    const after = await stage.ask('strain', null);
    const micros = (performance.now() - began) * 1_000;
    return { ...figures, sidesCpu: (after.cpuMicros - before.cpuMicros) / micros };
  } finally {
    await end(child);
  }
}

function report(results: Record<Editor, Round[]>): void {
  const middle = (editor: Editor, pick: (round: Round) => number): number => median(results[editor].map(pick));
  const rate = (editor: Editor): number => middle(editor, ({ perSecond }) => perSecond);
  const rows = (Object.keys(editors) as Editor[]).map((editor) => [
    editors[editor],
    Math.round(rate(editor)).toLocaleString('en'),
    (rate(editor) / rate('default')).toFixed(1),
    middle(editor, ({ cpuMicrosPerEdit }) => cpuMicrosPerEdit).toFixed(0),
    `${(middle(editor, ({ sidesCpu }) => sidesCpu) * 100).toFixed(0)} %`,
  ]);
  console.log(`
PATCH @original through ${TOKENS.toLocaleString('en')} interaction tokens, after the first burst, median of ${ROUNDS} rounds.
The embedded Discord's limit per token is lifted and its global one does not count here: what remains is the client's own.
Target: ratio at least ${TARGET}.
`);
  console.log(table(['', 'edits/s', 'ratio', 'CPU µs/edit', 'Discord side CPU'], rows));
}
