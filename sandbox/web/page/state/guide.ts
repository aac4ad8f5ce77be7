import { computed, effect, signal } from '@preact/signals';
import { leaves } from '../composer/draft.ts';
import { sendSlash } from './acts.ts';
import { bot, makeTrouble, underWay } from './workbench.ts';

const KEPT = 'atelier.guide';

/** A suggestion for new users. */
export interface Offer {
  readonly id: string;
  readonly title: string;
  readonly words: string;
  readonly run: () => void;
}

interface Example {
  readonly path: string;
  readonly title: string;
  readonly words: string;
  readonly values?: Readonly<Record<string, string | number | boolean>>;
}

/** In a useful order; commands that are not registered are omitted. */
const examples: readonly Example[] = [
  {
    path: 'imagine',
    title: 'Generate four images',
    words: 'A lighthouse in a storm, as an oil painting',
    values: { prompt: 'a lighthouse in a storm, oil painting, warm light in the window' },
  },
  { path: 'models', title: 'List the models', words: 'Every model that the gateway offers' },
  { path: 'help', title: 'Get help', words: 'What the bot can do' },
  { path: 'talk start', title: 'Talk with a model', words: 'It replies by voice in a thread' },
  { path: 'usage', title: 'Check your usage', words: 'What your requests cost' },
];

const known = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]') as readonly string[];
const done = signal<ReadonlySet<string>>(new Set(known));
export const closed = signal(false);

effect(() => sessionStorage.setItem(KEPT, JSON.stringify([...done.value])));

const usable = computed(() =>
  examples.filter(({ path, values = {} }) => {
    const leaf = leaves.value.find((one) => one.path === path);
    const names = new Set(leaf?.options.map(({ name }) => name));
    const isFull = leaf?.options.every(({ name, required }) => !required || name in values);
    return leaf !== undefined && isFull === true && Object.keys(values).every((name) => names.has(name));
  }),
);

export const offers = computed((): Offer[] => {
  const commands = usable.value.map(({ path, title, words, values = {} }): Offer => {
    const run = () => {
      tick(path);
      void sendSlash(path, values);
    };
    return { id: path, title, words, run };
  });
  const [first] = usable.value;
  if (first?.path !== 'imagine' || bot.value === undefined) return commands;
  const kill: Offer = {
    id: 'kill',
    title: 'Kill the bot during a job',
    words: 'The result still arrives',
    run: () => {
      tick('kill');
      void killDuringJob(first);
    },
  };
  return [...commands.slice(0, 1), kill, ...commands.slice(1)];
});

/** The first untried suggestion; undefined until one was tried. */
export const next = computed(() =>
  done.value.size === 0 || closed.value ? undefined : offers.value.find(({ id }) => !done.value.has(id)),
);
export const isDone = (id: string): boolean => done.value.has(id);

function tick(id: string): void {
  done.value = new Set([...done.value, id]);
}

/** Starts a job if none is in progress, and kills the bot as soon as one is. */
async function killDuringJob({ path, values = {} }: Example): Promise<void> {
  if (underWay.value.length === 0 && !(await sendSlash(path, values))) return;
  await new Promise<void>((resolve) => {
    const stop = effect(() => {
      if (underWay.value.length > 0) queueMicrotask(() => [stop(), resolve()]);
    });
  });
  await makeTrouble({ do: 'kill-bot' });
}
