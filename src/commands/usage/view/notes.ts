import type { Say } from '../../../locales/index.ts';
import type { Note, Sheet } from '../../../services/usage/sheet.ts';
import { gatewayAmount, rangeText, type Unit } from './amounts.ts';

/** Sentences for what the numbers do not say by themselves. */
export function notesOf({ notes, range, isEstimate }: Sheet, unit: Unit, say: Say): string[] {
  const told = notes.map((note) => noteOf(note, rangeText(range, say), unit, say));
  return isEstimate ? [...told, say('usage.note.estimate')] : told;
}

function noteOf(note: Note, range: string, unit: Unit, say: Say): string {
  switch (note.kind) {
    case 'totalOnly':
      return say('usage.note.totalOnly', { range });
    case 'otherDays': {
      const { count, first, last, total } = note;
      const days = rangeText({ start: first, end: last }, say);
      const sent = say('usage.note.otherDays', { count, range: days });
      if (total === undefined) return sent;
      return `${sent} ${say('usage.note.otherTotal', { total: gatewayAmount(total, unit, say) })}`;
    }
    case 'undated':
      return say('usage.note.undated', { range });
    case 'differs':
      return say('usage.note.differs', { sum: gatewayAmount(note.sum, unit, say) });
    case 'atGateway':
      return say('usage.note.atGateway', { total: gatewayAmount(note.total, unit, say) });
    case 'open':
    case 'unconfirmed':
    case 'unpriced':
      return say(`usage.note.${note.kind}`, { count: note.count });
  }
}
