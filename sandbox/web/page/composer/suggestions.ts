import { computed, effect, signal, untracked } from '@preact/signals';
import { complete } from '../state/acts.ts';
import { channelId, world } from '../state/world.ts';
import { OptionType } from '../wire.ts';
import type { Choice, Option } from './commands.ts';
import { chosenCommand, currentOption, discardCommand, focusedOption, leaves, optionValues } from './draft.ts';
import { sentValue, shownText } from './filled.ts';

interface Suggestions {
  readonly state: 'loading' | 'failed' | 'ready';
  readonly choices: readonly Choice[];
}

const loaded = signal<Suggestions | undefined>(undefined);
/** The index of the entry that Enter selects. */
export const active = signal(0);

/** Long enough to type several letters, short enough not to be noticed. */
const DEBOUNCE_MS = 220;

/** The choices for the focused option; undefined if any text is allowed. */
export const suggestions = computed((): Suggestions | undefined => {
  const option = currentOption.value;
  if (!option) return undefined;
  if (option.autocomplete) return loaded.value;
  const all = fixedChoices(option);
  if (!all) return undefined;
  const value = optionValues.value.get(option.name);
  const typed = value?.is === 'text' ? value.text.toLowerCase() : '';
  return { state: 'ready', choices: all.filter(({ name }) => name.toLowerCase().includes(typed)) };
});

function fixedChoices({ type, choices }: Option): readonly Choice[] | undefined {
  if (choices?.length) return choices;
  const { people: userChoices = [], guilds = [] } = world.value ?? {};
  const persons = userChoices.map(({ id, name }) => ({ name, value: id }));
  switch (type) {
    case OptionType.boolean:
      return [
        { name: 'True', value: true },
        { name: 'False', value: false },
      ];
    case OptionType.user:
    case OptionType.mentionable:
      return persons;
    case OptionType.channel: {
      const guild = guilds.find(({ channels }) => channels.some(({ id }) => id === channelId.value));
      return (guild?.channels ?? []).map(({ id, name }) => ({ name: `#${name}`, value: id }));
    }
    default:
      return undefined;
  }
}

let latest = 0;

/** Requests completions during typing; a late response never replaces a newer one. */
export function followTyping(): void {
  effect(() => {
    const option = currentOption.value;
    const leaf = chosenCommand.value;
    latest += 1;
    const mine = latest;
    active.value = 0;
    if (!leaf || !option?.autocomplete) return;
    const value = optionValues.value.get(option.name);
    if (value?.is === 'choice') {
      loaded.value = undefined;
      return;
    }
    const options: Record<string, string | number | boolean> = { [option.name]: shownText(value) };
    for (const other of leaf.options) {
      const sent = other === option ? undefined : sentValue(other, optionValues.value.get(other.name));
      if (sent !== undefined && !(sent instanceof File)) options[other.name] = sent;
    }
    loaded.value = { state: 'loading', choices: loaded.peek()?.choices ?? [] };
    setTimeout(() => {
      if (mine !== latest) return;
      const tell = (response: Suggestions) => {
        if (mine === latest) loaded.value = response;
      };
      complete(leaf.path, options, option.name).then(
        (choices) => tell({ state: 'ready', choices }),
        () => tell({ state: 'failed', choices: [] }),
      );
    }, DEBOUNCE_MS);
  });
  effect(() => {
    if (focusedOption.value === undefined) loaded.value = undefined;
  });
  // A command that is unavailable in the new channel, or to the new user, is closed.
  effect(() => {
    const path = chosenCommand.value?.path;
    if (path !== undefined && !leaves.value.some((leaf) => leaf.path === path)) untracked(discardCommand);
  });
}
