import { expect, it } from 'vitest';
import { checkedSizes } from '../../scripts/command-limits.ts';
import { explainFailure } from '../../scripts/deploy.ts';
import type { CommandBody } from '../../src/discord/registration.ts';

const choice = (name: string) => ({ name, value: 'v' });
const textOption = (name: string, description: string) => ({ type: 3 as const, name, description });

function failureOf(bodies: CommandBody[]) {
  try {
    return checkedSizes(bodies);
  } catch (error) {
    const { code, message } = explainFailure(error);
    return { code, sentence: message };
  }
}

it('The size of a command counts the longest translation of each text, and names the language in which the command is longest', () => {
  const paint: CommandBody = {
    name: 'paint',
    description: 'Paint',
    description_localizations: { de: 'Ein Bild malen', ru: null },
    options: [
      {
        ...textOption('size', 'Size'),
        description_localizations: { fr: 'La taille' },
        choices: [{ ...choice('Small'), name_localizations: { de: 'Klein', fr: 'Petit' } }],
      },
    ],
  };
  expect(checkedSizes([{ name: 'a', description: 'b' }, { name: 'Remix', type: 3 }, paint])).toEqual([
    { label: '/paint', characters: 5 + 14 + 4 + 9 + 5 + 1, language: 'de' },
    { label: 'Remix', characters: 5, language: 'en' },
    { label: '/a', characters: 2, language: 'en' },
  ]);
});

it('Commands that Discord would refuse are not sent: each text that is too long is named with its command and language', () => {
  const long = 'x'.repeat(101);
  const bodies: CommandBody[] = [
    {
      name: 'paint',
      description: 'Paint',
      description_localizations: { de: long },
      options: [
        {
          type: 1,
          name: 'wall',
          description: 'A wall',
          options: [
            { ...textOption('size', long), choices: [{ ...choice('Small'), name_localizations: { fr: long } }] },
          ],
        },
      ],
    },
    { name: 'Remix', type: 3, name_localizations: { ja: 'x'.repeat(33) } },
  ];
  expect(failureOf(bodies)).toEqual({
    code: 70,
    sentence: [
      'The commands are too long for Discord. Shorten these texts in src/locales:',
      '  The description of /paint has 101 characters in de, and at most 100 are allowed.',
      '  The description of /paint wall size has 101 characters in en, and at most 100 are allowed.',
      '  The name of the choice Small of /paint wall size has 101 characters in fr, and at most 100 are allowed.',
      '  The name of Remix has 33 characters in ja, and at most 32 are allowed.',
    ].join('\n'),
  });
});

it('A command that is too long in all its texts together is not sent', () => {
  const options = Array.from({ length: 90 }, (_, index) => ({
    ...textOption(`o${index}`, 'x'.repeat(50)),
    description_localizations: { [index < 45 ? 'de' : 'fr']: 'x'.repeat(99) },
  }));
  expect(failureOf([{ name: 'paint', description: 'Paint', options }])).toEqual({
    code: 70,
    sentence: expect.stringContaining('  /paint has 9180 characters in the longest translation of each text'),
  });
});
