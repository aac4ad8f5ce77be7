import { computed } from '@preact/signals';
import { currentPlace, nameOf, world } from '../state/world.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Whom a message here can mention; the bot comes first, where it reads messages. */
const mentionable = computed((): readonly Named[] => {
  const { application, people = [] } = world.value ?? {};
  const { guild, channel } = currentPlace.value ?? {};
  const isBotHere = guild ? guild.installed : channel?.kind === 'direct';
  const members = guild ? people.filter(({ id }) => guild.members.includes(id)) : people;
  return [...(application && isBotHere ? [application] : []), ...members];
});

/** The name that is being typed after an @ before the caret; undefined if none is. */
export const nameBeforeCaret = (text: string, caret: number): string | undefined =>
  /(?:^|\s)@(\w*)$/.exec(text.slice(0, caret))?.[1];

export const matchingNames = (typed: string): readonly Named[] =>
  mentionable.value.filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()));

/** The text with a name in place of the one that is being typed, and the new position of the caret. */
export function completeName(text: string, caret: number, name: string): { text: string; caret: number } {
  const start = text.lastIndexOf('@', caret - 1);
  const before = `${text.slice(0, start)}@${name} `;
  return { text: before + text.slice(caret).trimStart(), caret: before.length };
}

/** Discord's own client sends names as ids. */
export const namesToIds = (text: string): string =>
  text.replace(/(?<=^|\s)@(\w+)/g, (typed, name: string) => {
    const named = mentionable.value.find((one) => one.name.toLowerCase() === name.toLowerCase());
    return named ? `<@${named.id}>` : typed;
  });

export const idsToNames = (text: string): string =>
  text.replace(/<@!?(\d+)>/g, (mention, id: string) => (nameOf(id) === 'unknown-user' ? mention : `@${nameOf(id)}`));
