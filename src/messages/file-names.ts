import { plainWords } from '../lib/text.ts';
import { isClosed, isHeld, type Task } from '../services/tasks/task.ts';

const MAX_WORDS_LENGTH = 40;

/** The first words of a task's title and a dash; empty if not everyone may see its prompt. Names continue with a number or a word, so none is reserved on Windows. */
export function fileNamePrefix(task: Task, title: string): string {
  if (isClosed(task) || isHeld(task)) return '';
  const words = fileNameWords(task.traits.isVisual ? title.replace(FLAGS, '') : title);
  return words === '' ? '' : `${words}-`;
}

/** A title may consist of the names of images. */
const EXTENSIONS = /\.(?:avif|gif|jpe?g|png|webp)(?![\p{L}\p{N}])/giu;

/** The first flag of an image prompt and everything after it, since names must not state values that are cut off. Phones replace two hyphens with a dash. */
const FLAGS = /(?<!\S)(?:--|[–—])\p{L}.*$/su;

/** Discord keeps letters and digits of all scripts, but not marks: a word that needs them would become unreadable. */
function fileNameWords(title: string): string {
  const words = plainWords(title)
    .replace(EXTENSIONS, '')
    .normalize('NFC')
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}\p{M}]+\p{M}*/u)
    .filter((word) => word !== '' && !/\p{M}/u.test(word))
    .map((word) => word.toLowerCase().replace(/\p{M}/gu, ''));
  let name = '';
  for (const word of words) {
    const longer = name === '' ? word.slice(0, MAX_WORDS_LENGTH).replace(/\p{Cs}$/u, '') : `${name}-${word}`;
    if (longer.length > MAX_WORDS_LENGTH) break;
    name = longer;
  }
  return name;
}
