import { computed, effect, signal, untracked } from '@preact/signals';
import { OptionType } from '../discord-api.ts';
import { fetchCompletions } from '../state/actions.ts';
import { channelId, world } from '../state/world.ts';
import type { Choice, Option } from './commands.ts';
import { chosenCommand, currentOption, discardCommand, focusedOption, leaves, optionValues } from './draft.ts';
import { displayText, valueToSend } from './option-value.ts';

interface Suggestions {
  readonly state: 'loading' | 'failed' | 'ready';
  readonly choices: readonly Choice[];
}

const completions = signal<Suggestions | undefined>(undefined);
/** The index of the entry that Enter selects. */
export const activeIndex = signal(0);

/** Long enough to wait for several keystrokes, short enough not to be noticed. */
const DEBOUNCE_MS = 220;

/** The choices for the focused option; undefined if any text is allowed. */
export const suggestions = computed((): Suggestions | undefined => {
  const option = currentOption.value;
  if (!option) return undefined;
  if (option.autocomplete) return completions.value;
  const allChoices = fixedChoices(option);
  if (!allChoices) return undefined;
  const value = optionValues.value.get(option.name);
  const input = value?.kind === 'text' ? value.text.toLowerCase() : '';
  return { state: 'ready', choices: allChoices.filter(({ name }) => name.toLowerCase().includes(input)) };
});

function fixedChoices({ type, choices }: Option): readonly Choice[] | undefined {
  if (choices?.length) return choices;
  const { people = [], guilds = [] } = world.value ?? {};
  const userChoices = people.map(({ id, name }) => ({ name, value: id }));
  switch (type) {
    case OptionType.boolean:
      return [
        { name: 'True', value: true },
        { name: 'False', value: false },
      ];
    case OptionType.user:
    case OptionType.mentionable:
      return userChoices;
    case OptionType.channel: {
      const guild = guilds.find(({ channels }) => channels.some(({ id }) => id === channelId.value));
      return (guild?.channels ?? []).map(({ id, name }) => ({ name: `#${name}`, value: id }));
    }
    default:
      return undefined;
  }
}

let latestRequest = 0;

/** Requests completions while the user types; a late response never replaces a newer one. */
export function requestCompletions(): void {
  effect(() => {
    const option = currentOption.value;
    const leaf = chosenCommand.value;
    latestRequest += 1;
    const requestNumber = latestRequest;
    activeIndex.value = 0;
    if (!leaf || !option?.autocomplete) return;
    const value = optionValues.value.get(option.name);
    if (value?.kind === 'choice') {
      completions.value = undefined;
      return;
    }
    const options: Record<string, string | number | boolean> = { [option.name]: displayText(value) };
    for (const other of leaf.options) {
      const sentValue = other === option ? undefined : valueToSend(other, optionValues.value.get(other.name));
      if (sentValue !== undefined && !(sentValue instanceof File)) options[other.name] = sentValue;
    }
    completions.value = { state: 'loading', choices: completions.peek()?.choices ?? [] };
    setTimeout(() => {
      if (requestNumber !== latestRequest) return;
      const setCompletions = (response: Suggestions) => {
        if (requestNumber === latestRequest) completions.value = response;
      };
      fetchCompletions(leaf.path, options, option.name).then(
        (choices) => setCompletions({ state: 'ready', choices }),
        () => setCompletions({ state: 'failed', choices: [] }),
      );
    }, DEBOUNCE_MS);
  });
  effect(() => {
    if (focusedOption.value === undefined) completions.value = undefined;
  });
  // Discards a command that is not available in the new channel or to the new user.
  effect(() => {
    const path = chosenCommand.value?.path;
    if (path !== undefined && !leaves.value.some((leaf) => leaf.path === path)) untracked(discardCommand);
  });
}
