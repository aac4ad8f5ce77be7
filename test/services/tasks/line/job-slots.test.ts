import { describe, expect, it } from 'vitest';
import { JobSlots, type SlotUser } from '../../../../src/services/tasks/line/job-slots.ts';

/** A queue whose tasks stay in their slots once they were sent. */
function queue(name: string, waiting: number, sent: string[]): SlotUser {
  let occupied = 0;
  return {
    occupied: () => occupied,
    sendNext() {
      if (occupied === waiting) return false;
      occupied += 1;
      sent.push(name);
      return true;
    },
  };
}

describe('The job slots of a process', () => {
  it('Queues take turns at the job slots of a process, and never occupy more than there are', () => {
    const slots = new JobSlots(0);
    const sent: string[] = [];
    for (const [name, waiting] of [
      ['a', 5],
      ['b', 1],
      ['c', 5],
    ] as const)
      slots.add(queue(name, waiting, sent));
    slots.advance();
    expect(sent).toEqual([]);
    slots.setLimit(6);
    expect(sent.join('')).toBe('abcaca');
    expect(slots.hasFree()).toBe(false);
    slots.advance();
    expect(sent).toHaveLength(6);
  });

  it('A queue that leaves frees its job slots for the others', () => {
    const slots = new JobSlots(2);
    const sent: string[] = [];
    const leave = slots.add(queue('a', 2, sent));
    slots.advance();
    slots.add(queue('b', 9, sent));
    slots.advance();
    expect(sent.join('')).toBe('aa');
    leave();
    expect(sent.join('')).toBe('aabb');
  });

  it('A queue that reports a change while it sends is polled again', () => {
    const slots = new JobSlots();
    let left = 3;
    slots.add({
      occupied: () => 0,
      sendNext() {
        if (left === 0) return false;
        left -= 1;
        slots.advance();
        return left > 0;
      },
    });
    slots.advance();
    expect(left).toBe(0);
  });
});
