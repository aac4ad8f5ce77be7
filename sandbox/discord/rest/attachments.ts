import { z } from 'zod';
import type { Routes } from '../parts.ts';
import { violation } from '../validation/violation.ts';

const MAX_URLS = 50;
const bodySchema = z.strictObject({ attachment_urls: z.array(z.string()).min(1).max(MAX_URLS) });

/** Re-signs expired attachment URLs. Discord does not document this route, but bots can use it with their token. */
export const attachmentRoutes: Routes = (server, { uploads, validator }) => {
  const route = '/attachments/refresh-urls';
  server.post(route, (request) => {
    const { data, error } = bodySchema.safeParse(request.payload.body);
    const issues = error?.issues ?? [];
    const violations = issues.map(({ path, message }) => violation(path.join('.'), 'BASE_TYPE_INVALID', message));
    validator.reject(route, violations);
    const urls = data?.attachment_urls ?? [];
    return { refreshed_urls: urls.map((original) => ({ original, refreshed: uploads.refresh(original) ?? null })) };
  });
};
