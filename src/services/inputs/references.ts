import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Occasion, Reference } from '../tasks/materials.ts';
import type { GivenFiles } from './given-files.ts';
import type { Parcel } from './parcel.ts';
import type { Reach } from './reach.ts';
import { signedUntil } from './signed-address.ts';

interface ReferencesParts {
  files: GivenFiles;
  reach: Reach;
  clock: Clock;
}

/** What the gateway fetches itself: looked at before, and given by its address wherever the gateway can reach that. */
export class References {
  readonly #parts: ReferencesParts;

  constructor(parts: ReferencesParts) {
    this.#parts = parts;
  }

  /** One after the other, so that no order holds more than one file in the room that all of them share. */
  async given(references: readonly Reference[], { patienceMs }: Occasion, parcel: Parcel) {
    const given: { medium: Reference['medium']; given: string }[] = [];
    for (const one of references) given.push({ medium: one.medium, given: await this.#one(one, patienceMs, parcel) });
    return given;
  }

  async #one(reference: Reference, patienceMs: number, parcel: Parcel): Promise<string> {
    const { files, reach } = this.#parts;
    const { address, medium, takes } = reference;
    if (!(await reach(address))) {
      if (takes === 'address' || medium !== 'image') throw outOfReach(reference);
      return await files.with(reference, (file) => parcel.add(file));
    }
    this.#lastsFor(patienceMs, reference);
    await files.with(reference, async (file) => {
      if (medium === 'image') await files.picture(file);
    });
    return address;
  }

  /** The gateway fetches it when it comes to it, which may be at the end of what anybody waits. */
  #lastsFor(patienceMs: number, { address, name }: Reference): void {
    const until = signedUntil(address);
    const now = this.#parts.clock.now();
    if (until === undefined || until >= now + patienceMs) return;
    const variables = { name, until: inWords(until) };
    if (until <= now) throw new Refusal('refusals.referenceEnded', variables);
    const minutes = String(Math.ceil(patienceMs / 60_000));
    throw new Refusal('refusals.referenceEndsSoon', { ...variables, minutes });
  }
}

function outOfReach({ address, name }: Reference): Refusal {
  return signedUntil(address) === undefined
    ? new Refusal('refusals.referenceNotPublic', { name })
    : new Refusal('refusals.referenceOutOfReach', { name });
}

/** Discord's own way to tell a time is not understood inside of a refusal. */
const inWords = (time: number): string => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
