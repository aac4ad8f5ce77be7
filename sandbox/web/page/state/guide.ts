import { computed, effect, signal } from '@preact/signals';
import { leaves } from '../composer/draft.ts';
import { sendSlash } from './actions.ts';
import { bot, makeTrouble, runningJobs } from './workbench.ts';

const STORAGE_KEY = 'atelier.guide';

/** A suggestion for new users. */
export interface Suggestion {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly run: () => void;
}

interface Example {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly values?: Readonly<Record<string, string | number | boolean>>;
}

/** Examples in the order in which they are suggested; those of commands that are not registered are omitted. */
const examples: readonly Example[] = [
  {
    path: 'imagine',
    title: 'Generate four images',
    description: 'A lighthouse in a storm, as an oil painting',
    values: { prompt: 'a lighthouse in a storm, oil painting, warm light in the window' },
  },
  { path: 'models', title: 'List the models', description: 'Every model that the gateway offers' },
  { path: 'help', title: 'Get help', description: 'What the bot can do' },
  { path: 'talk start', title: 'Talk with a model', description: 'It replies by voice in a thread' },
  { path: 'usage', title: 'Check your usage', description: 'What your requests cost' },
];

const storedIds = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]') as readonly string[];
const triedIds = signal<ReadonlySet<string>>(new Set(storedIds));
export const isClosed = signal(false);

effect(() => sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...triedIds.value])));

const availableExamples = computed(() =>
  examples.filter(({ path, values = {} }) => {
    const leaf = leaves.value.find((one) => one.path === path);
    const names = new Set(leaf?.options.map(({ name }) => name));
    const hasRequiredValues = leaf?.options.every(({ name, required }) => !required || name in values);
    return leaf !== undefined && hasRequiredValues === true && Object.keys(values).every((name) => names.has(name));
  }),
);

export const guideSuggestions = computed((): Suggestion[] => {
  const commands = availableExamples.value.map(({ path, title, description, values = {} }): Suggestion => {
    const run = () => {
      markDone(path);
      void sendSlash(path, values);
    };
    return { id: path, title, description, run };
  });
  const [firstExample] = availableExamples.value;
  if (firstExample?.path !== 'imagine' || bot.value === undefined) return commands;
  const kill: Suggestion = {
    id: 'kill',
    title: 'Kill the bot during a job',
    description: 'The result still arrives',
    run: () => {
      markDone('kill');
      void killDuringJob(firstExample);
    },
  };
  return [...commands.slice(0, 1), kill, ...commands.slice(1)];
});

/** The first untried suggestion; undefined until one has been tried. */
export const nextSuggestion = computed(() =>
  triedIds.value.size === 0 || isClosed.value
    ? undefined
    : guideSuggestions.value.find(({ id }) => !triedIds.value.has(id)),
);
export const isDone = (id: string): boolean => triedIds.value.has(id);

function markDone(id: string): void {
  triedIds.value = new Set([...triedIds.value, id]);
}

/** Starts a job if none is in progress, and kills the bot as soon as one is. */
async function killDuringJob({ path, values = {} }: Example): Promise<void> {
  if (runningJobs.value.length === 0 && !(await sendSlash(path, values))) return;
  await new Promise<void>((resolve) => {
    const stop = effect(() => {
      if (runningJobs.value.length > 0) queueMicrotask(() => [stop(), resolve()]);
    });
  });
  await makeTrouble({ do: 'kill-bot' });
}
