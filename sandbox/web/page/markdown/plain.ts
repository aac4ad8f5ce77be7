import { parseBlocks } from './blocks.ts';
import { timeText } from './time.ts';
import type { Block, Inline } from './tree.ts';

/** The text of a message in one line, for quotes and screen readers. */
export function toPlainText(text: string, nameOf: (id: string) => string): string {
  return parseBlocks(text)
    .map((block) => blockText(block, nameOf))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function blockText(block: Block, nameOf: (id: string) => string): string {
  switch (block.type) {
    case 'code':
      return block.text;
    case 'quote':
      return block.blocks.map((one) => blockText(one, nameOf)).join(' ');
    case 'list':
      return block.items.flatMap((item) => item.map((one) => blockText(one, nameOf))).join(' ');
    default:
      return inlineText(block.inner, nameOf);
  }
}

function inlineText(inner: readonly Inline[], nameOf: (id: string) => string): string {
  return inner
    .map((node) => {
      switch (node.type) {
        case 'break':
          return ' ';
        case 'spoiler':
          return '(spoiler)';
        case 'user':
        case 'role':
          return `@${nameOf(node.id)}`;
        case 'channel':
          return '#channel';
        case 'command':
          return `/${node.name}`;
        case 'time':
          return timeText(node.seconds * 1_000, 't');
        case 'emoji':
          return `:${node.name}:`;
        case 'text':
        case 'keycap':
        case 'code':
        case 'everyone':
          return node.text;
        default:
          return inlineText(node.inner, nameOf);
      }
    })
    .join('');
}
