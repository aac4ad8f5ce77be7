import { describe, expect, it } from 'vitest';
import { handlers } from '../../src/commands/index.ts';
import { imaginePrompt, presettableOptions, typedPresetOptions, withPreset } from '../../src/commands/presets.ts';
import { commandsByFullName } from '../../src/discord/handlers.ts';
import type { EnteredValues } from '../../src/discord/options.ts';
import type { PresetContent } from '../../src/services/orders/preset.ts';

const commands = commandsByFullName(handlers.commands);
const optionsOf = (name: string) => commands.get(name)?.options ?? {};

const poster: PresetContent = {
  name: 'Poster',
  command: 'imagine',
  template: '{prompt}, poster --ar 2:3',
  options: { style: 'raw', chaos: 5 },
};
const filled = (preset: Partial<PresetContent>, entered: EnteredValues) => {
  const { values, names } = withPreset({ ...poster, ...preset }, { preset: 'Poster', ...entered });
  return { values, names: [...names].toSorted() };
};

describe('The values of a preset', () => {
  it('The text takes the place of {prompt}, and the options that were not entered are those of the preset', () => {
    expect(filled({}, { prompt: 'a fox', chaos: 9 })).toEqual({
      values: { prompt: 'a fox, poster --ar 2:3', style: 'raw', chaos: 9 },
      names: ['aspect', 'prompt', 'style'],
    });
  });

  it.each([
    ['a fox --ar 1:1', {}, 'a fox, poster --ar 1:1', ['chaos', 'prompt', 'style']],
    ['a fox --aspect 1:1 --c 9', {}, 'a fox, poster --aspect 1:1 --c 9', ['prompt', 'style']],
    ['a fox', { aspect: '16:9' }, 'a fox, poster', ['chaos', 'prompt', 'style']],
    ['a fox --no trees', {}, 'a fox, poster --no trees --ar 2:3', ['aspect', 'chaos', 'prompt', 'style']],
  ])('A flag of a template gives way to a typed flag and to an option: %s', (prompt, entered, expected, names) => {
    const result = filled({}, { prompt, ...entered });
    expect(result.values.prompt).toBe(expected);
    expect(result.names).toEqual(names);
  });

  it.each([
    ['an old map of', 'Rome', 'an old map of Rome'],
    ['an old map --ar 3:2', 'Rome --v 7', 'an old map Rome --v 7 --ar 3:2'],
    ['{prompt} and {Prompt}', 'Rome', 'Rome and Rome'],
    ['a map --no {prompt}', 'Rome', 'a map --no Rome'],
    ['{red, blue} {prompt}', '{a, b} $& {prompt}', '{red, blue} {a, b} $& {prompt}'],
  ])('The template %s is filled with %s', (template, text, expected) => {
    expect(imaginePrompt(template, text, {}).prompt).toBe(expected);
  });

  it('Flags are words for the other commands', () => {
    const { values } = filled({ command: 'image', options: {} }, { prompt: 'a fox --ar 1:1' });
    expect(values.prompt).toBe('a fox --ar 1:1, poster --ar 2:3');
  });

  it.each(['', ' ', '\u200b', '--ar 1:1'])(
    'A template with {prompt} needs text of its own: %j is refused',
    (prompt) => {
      expect(() => filled({}, { prompt })).toThrow('refusals.presets.promptMissing');
    },
  );

  it('A template without {prompt} stands alone', () => {
    expect(filled({ template: 'a red fox' }, {}).values.prompt).toBe('a red fox');
  });

  it('The text of a song is its description; with lyrics, or no text for a bare {prompt}, only the options apply', () => {
    const song: Partial<PresetContent> = { command: 'music', template: '{prompt}', options: { style: 'folk' } };
    const tune = { ...song, template: 'a ballad about {prompt}' };
    expect(filled(tune, { about: 'snow' }).values).toEqual({ style: 'folk', about: 'a ballad about snow' });
    expect(filled(tune, { lyrics: 'la la' }).values).toEqual({ style: 'folk', lyrics: 'la la' });
    expect(filled(song, {}).values).toEqual({ style: 'folk' });
  });

  it('Whether others see the reply, and files, are never part of a preset', () => {
    for (const name of ['imagine', 'image', 'video', 'music make', 'ask']) {
      const names = Object.keys(presettableOptions(optionsOf(name)));
      for (const kept of ['private', 'preset', 'prompt', 'about', 'lyrics', 'image', 'file', 'schema'])
        expect(names).not.toContain(kept);
    }
  });
});

describe('Typed options of a preset', () => {
  it.each([
    [
      'imagine',
      'aspect:16:9 style: raw tile:yes stylize:250',
      { aspect: '16:9', style: 'raw', tile: true, stylize: 250 },
    ],
    ['video', 'size:1280x720 Duration: 5 seed:7', { size: '1280x720', duration: '5', seed: 7 }],
    ['video', 'negative:a: b, c model:reel/2:free', { negative: 'a: b, c', model: 'reel/2:free' }],
    ['ask', 'instructions:Be kind. Rhyme.\nweb:on', { instructions: 'Be kind. Rhyme.', web: true }],
    ['music make', 'style:folk, calm instrumental:no', { style: 'folk, calm', instrumental: false }],
    ['image', '  ', {}],
  ])('The options of /%s are read as they are typed into it: %s', (command, text, expected) => {
    expect(typedPresetOptions(text, optionsOf(command))).toEqual(expected);
  });

  it.each([
    ['imagine', 'size:16:9', 'optionUnknown'],
    ['imagine', 'private:true', 'optionUnknown'],
    ['imagine', 'wide aspect:16:9', 'optionFirst'],
    ['imagine', '__proto__:1', 'optionUnknown'],
    ['imagine', 'constructor:1', 'optionUnknown'],
    ['imagine', 'aspect:17:9', 'optionChoice'],
    ['imagine', 'chaos:101', 'optionInvalid'],
    ['imagine', 'chaos:', 'optionInvalid'],
    ['imagine', 'chaos:1.5', 'optionInvalid'],
    ['imagine', 'tile:maybe', 'optionInvalid'],
    ['video', `size:${'9'.repeat(31)}`, 'optionInvalid'],
  ])('What /%s cannot take is refused: %s', (command, text, key) => {
    expect(() => typedPresetOptions(text, optionsOf(command))).toThrow(`refusals.presets.${key}`);
  });
});
