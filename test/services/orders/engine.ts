import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../../sandbox/gateway/gateway.ts';
import { addCleanup } from '../../support/ending.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { cachingStudio } from '../../support/studio.ts';
import { type Domain, type DomainOptions, openDomain } from './domain.ts';

export interface Engine extends Domain {
  gateway: EmbeddedGateway;
  /** The store's database file. */
  file: string;
}

/** Starts the domain with a store in a file and the embedded gateway; with `previous`, it starts again. */
export async function startEngine(
  options: GatewayOptions = {},
  previous?: Engine,
  domainOptions: DomainOptions = {},
): Promise<Engine> {
  const clock = previous?.clock ?? new ManualClock();
  const studio = cachingStudio();
  addCleanup(() => studio.close());
  const gateway = previous?.gateway ?? (await startGateway({ clock, seed: 1, studio, ...options }));
  const folder = previous ? undefined : await mkdtemp(join(tmpdir(), 'atelier-'));
  const file = previous?.file ?? join(folder ?? '', 'atelier.sqlite');
  if (folder !== undefined) addCleanup(() => rm(folder, { recursive: true, force: true }));
  if (!previous) addCleanup(() => gateway.close());
  const domain = await openDomain({ clock, file, gatewayUrl: gateway.url }, domainOptions);
  return { ...domain, gateway, file };
}
