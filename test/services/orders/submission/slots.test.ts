import { describe, expect, it } from 'vitest';
import { Slots, type SlotUser } from '../../../../src/services/orders/submission/slots.ts';

/** A queue whose tasks keep their slots once they have been sent. */
function createQueue(name: string, waitingCount: number, sent: string[]): SlotUser {
  let occupied = 0;
  return {
    occupiedCount: () => occupied,
    sendNext() {
      if (occupied === waitingCount) return false;
      occupied += 1;
      sent.push(name);
      return true;
    },
  };
}

describe('The job slots of a process', () => {
  it('Queues take turns at the job slots of a process, and never occupy more than there are', () => {
    const slots = new Slots(0);
    const sent: string[] = [];
    for (const [name, waitingCount] of [
      ['a', 5],
      ['b', 1],
      ['c', 5],
    ] as const)
      slots.add(createQueue(name, waitingCount, sent));
    slots.advance();
    expect(sent).toEqual([]);
    slots.setLimit(6);
    expect(sent.join('')).toBe('abcaca');
    expect(slots.hasFreeSlot()).toBe(false);
    slots.advance();
    expect(sent).toHaveLength(6);
  });

  it('A queue that leaves frees its job slots for the others', () => {
    const slots = new Slots(2);
    const sent: string[] = [];
    const leave = slots.add(createQueue('a', 2, sent));
    slots.advance();
    slots.add(createQueue('b', 9, sent));
    slots.advance();
    expect(sent.join('')).toBe('aa');
    leave();
    expect(sent.join('')).toBe('aabb');
  });

  it('A queue that reports a change while it sends is asked for its next task again', () => {
    const slots = new Slots();
    let remaining = 3;
    slots.add({
      occupiedCount: () => 0,
      sendNext() {
        if (remaining === 0) return false;
        remaining -= 1;
        slots.advance();
        return remaining > 0;
      },
    });
    slots.advance();
    expect(remaining).toBe(0);
  });
});
