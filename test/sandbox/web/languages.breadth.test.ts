import { ComponentType } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { eachComponent } from '../../../sandbox/discord/message-content.ts';
import { startStage } from '../../../sandbox/web/open-stage.ts';
import { PSEUDO_LANGUAGE } from '../../../sandbox/web/pseudo-strings.ts';
import { Resources } from '../../../sandbox/web/resources.ts';
import { languageName, languages } from '../../../src/lib/languages.ts';
import { addCleanup } from '../../support/ending.ts';
import { type Seen, seeMessages } from '../../support/seen-messages.ts';

/** What members wrote, what the gateway returned, and names. */
const VALUES =
  /a red fox in the snow --ar|a lighthouse at dawn|waves on a beach|a song about rain|(?:Rain|Song)[\w ]*|What is a fox\?|This is the sandbox speaking[\s\S]*|a long walk|a casino|a fox|shows:violence|violence|Poster|lumen-image-\S+|reel-\S+|quill-\S+|parley-\S+|marin|imagine|model/gi;
/** Mentions, times, code and addresses. */
const NOT_LANGUAGE = /<\/[^>]+>|<[^<>\s]+>|```[\s\S]*?```|`[^`]*`|https?:\/\/\S+|\/[a-z]+/g;
/** The bot reads and shows limits in the form in which admins type them. */
const LIMITS = /\d+ (?:tasks?|at once|waiting)|\$[\d.]+|a day(?: for)?|video:/g;

/** `Intl` knows no pseudo-language, so its units and months are those of English. */
const FORMATS = /\d (?:sec|min|hr|ms)(?![a-z])|[A-Z][a-z]{2} \d{1,2}(?!\d)/g;

/** Languages are named in themselves. */
const LANGUAGE_WORDS = new Set(
  languages.flatMap((one) => languageName(one).split(/[^\p{L}]+/u)).concat('Pseudo', 'Accents'),
);

/** The labels of buttons, and every other text of a message or a form. */
function textsOf({ shown }: Seen): { labels: string[]; texts: string[] } {
  const labels: string[] = [];
  const texts: string[] = 'content' in shown ? [text(shown)] : [shown.title];
  eachComponent(shown.components ?? [], ({ type, label, description, placeholder, options }) => {
    if (type === ComponentType.Button && typeof label === 'string') labels.push(label);
    for (const one of [label, description, placeholder, ...(Array.isArray(options) ? options : [])])
      texts.push(
        typeof one === 'object'
          ? `${one.label === one.value ? '' : one.label} ${one.description ?? ''}`
          : String(one ?? ''),
      );
  });
  return { labels, texts };
}

const englishIn = (shownText: string): string[] =>
  shownText
    .replace(NOT_LANGUAGE, ' ')
    .replace(LIMITS, ' ')
    .replace(FORMATS, ' ')
    .replace(VALUES, ' ')
    .match(/(?<!\p{L})[A-Za-z]{3,}(?!\p{L})/gu) ?? [];

it('In the pseudo-language, no text that members see is in English or cut, and Discord accepts every message and form', async () => {
  const resources = new Resources();
  addCleanup(() => resources.close());
  const { signal } = new AbortController();
  const options = { speed: 50, realGateway: false, environment: process.env, language: PSEUDO_LANGUAGE, signal };
  const { stage, ready } = await startStage(options, resources);
  await ready;
  const seen = await seeMessages(stage.discord);
  expect(stage.discord.violations).toEqual([]);
  const english = seen.flatMap((one) => {
    const { labels, texts } = textsOf(one);
    expect(labels.filter((label) => label.length > 80)).toEqual([]);
    expect(
      [...labels, ...texts].filter((shownText) => shownText.split('⟦').length !== shownText.split('⟧').length),
    ).toEqual([]);
    return texts.flatMap((shownText) => englishIn(shownText).map((word) => `${one.name}: ${word}`));
  });
  expect(english.filter((line) => !LANGUAGE_WORDS.has(line.replace(/^.*: /, '')))).toEqual([]);
});
