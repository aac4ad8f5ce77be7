import type { Pace } from './pace.ts';
import { type Profile, type Quirks, quirksOf } from './quirks.ts';

/** The settings that can be changed while the gateway runs. */
export class Settings {
  readonly #pace: Pace;
  readonly #overrides: Partial<Quirks>;
  #profile: Profile;
  quirks: Quirks;

  constructor(profile: Profile, overrides: Partial<Quirks>, pace: Pace) {
    this.#pace = pace;
    this.#overrides = overrides;
    this.#profile = profile;
    this.quirks = { ...quirksOf(profile), ...overrides };
  }

  get profile(): Profile {
    return this.#profile;
  }

  /** Sets the profile's quirks; overrides passed at the start still apply. */
  set profile(profile: Profile) {
    this.#profile = profile;
    this.quirks = { ...quirksOf(profile), ...this.#overrides };
  }

  get speed(): number {
    return this.#pace.speed;
  }
}
