import { namedPlugin } from '../named-plugin.ts';
import { faultControlRoutes } from './control/faults.ts';
import { guard } from './control/guard.ts';
import { jobControlRoutes } from './control/jobs.ts';
import { realtimeControlRoutes } from './control/realtime.ts';
import { settingsControlRoutes } from './control/settings.ts';
import type { Routes } from './parts.ts';
import { CONTROL_PREFIX } from './request-hooks.ts';

/** The control API of the embedded gateway, for users and pages on this machine. */
export const controlRoutes: Routes = (server, parts) => {
  server.register(
    namedPlugin('control', (control, _, done) => {
      guard(control, parts);
      settingsControlRoutes(control, parts);
      jobControlRoutes(control, parts);
      faultControlRoutes(control, parts);
      realtimeControlRoutes(control, parts);
      done();
    }),
    { prefix: CONTROL_PREFIX },
  );
};
