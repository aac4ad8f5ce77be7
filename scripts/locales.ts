import { writeFileSync } from 'node:fs';
import { type StringTree, strings } from '../src/locales/index.ts';

const path = new URL('../src/locales/strings.ts', import.meta.url);

/** The keys of all sentences and, as the type of each, its variables. The strings of commands are not looked up by key. */
export function typesOfStrings(): string {
  const { commands: _, ...sentences } = strings;
  const lines = Object.entries(sentences).map(([name, one]) => `  ${nameOf(name)}: ${typeOf(one)};`);
  return `/** Written by \`npm run locales\`. */\nexport interface Strings {\n${lines.sort().join('\n')}\n}\n`;
}

function typeOf(value: string | StringTree): string {
  if (typeof value === 'string') {
    const variables = [...new Set(value.match(/\{\{\w+\}\}/g))].join('');
    // i18next then accepts only a number.
    return `'${variables.replaceAll(/duration(?=\}\})/gi, '$&, number')}'`;
  }
  const entries = Object.entries(value).map(([name, one]) => `${nameOf(name)}: ${typeOf(one)}`);
  return `{ ${entries.sort().join('; ')} }`;
}

const nameOf = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);

if (import.meta.main) writeFileSync(path, typesOfStrings());
