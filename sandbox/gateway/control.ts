import { namedPlugin } from '../named-plugin.ts';
import { faultOrders } from './control/faults.ts';
import { guard } from './control/guard.ts';
import { jobOrders } from './control/jobs.ts';
import { realtimeOrders } from './control/realtime.ts';
import { settingsOrders } from './control/settings.ts';
import { CONTROL } from './door.ts';
import type { Routes } from './parts.ts';

/** Orders for the sandbox itself, for people and pages on this machine. */
export const controlRoutes: Routes = (server, parts) => {
  server.register(
    namedPlugin('control', (control, _, done) => {
      guard(control, parts);
      settingsOrders(control, parts);
      jobOrders(control, parts);
      faultOrders(control, parts);
      realtimeOrders(control, parts);
      done();
    }),
    { prefix: CONTROL },
  );
};
