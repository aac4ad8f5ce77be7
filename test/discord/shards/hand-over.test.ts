import { GatewayDispatchEvents, type GatewayDispatchPayload, GatewayOpcodes } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import { HandOver } from '../../../src/discord/shards/hand-over.ts';
import { Progress } from '../../../src/discord/shards/session.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const packet: GatewayDispatchPayload = {
  op: GatewayOpcodes.Dispatch,
  s: 7,
  t: GatewayDispatchEvents.GuildRoleDelete,
  d: { guild_id: '1', role_id: 'private words' },
};

describe('A hand-over that never succeeds', () => {
  it('A failing hand-over is given up after the time limit, so that one bad event does not hold up the session forever', async () => {
    const clock = new ManualClock();
    const logLines: string[] = [];
    const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: (line) => logLines.push(line) });
    const progress = new Progress(6);
    const times: number[] = [];
    const passOn = async () => {
      times.push(clock.now());
      throw new Error('A bug.');
    };
    const handOver = new HandOver(3, { clock, log }, passOn, 10_000, new AbortController().signal);
    const onDone = vi.fn();
    const delivery = handOver.deliver(packet, progress).then(onDone);
    while (onDone.mock.calls.length === 0) {
      expect(clock.now() - (times[0] ?? 0)).toBeLessThan(15_000);
      expect(progress.completedSequence).toBe(6);
      // Lets everything that waits for the clock continue.
      await new Promise(setImmediate);
      clock.advance(100);
    }
    await delivery;
    expect(progress.completedSequence).toBe(7);
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000, 2_000]);
    expect(logLines).toHaveLength(2);
    expect(logLines.join('')).toContain('"shard":3,"event":"GUILD_ROLE_DELETE"');
    expect(logLines.join('')).not.toContain('private words');
  });
});
