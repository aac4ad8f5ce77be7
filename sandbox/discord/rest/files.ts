import { sendBytes } from '../../ranges.ts';
import type { Routes } from '../parts.ts';

/** The CDN: serves files under signed URLs, without a token and to pages of any origin. */
export const fileRoutes: Routes = (server, parts) => {
  for (const folder of ['attachments', 'ephemeral-attachments'])
    server.get<{ Querystring: Record<string, string> }>(`/${folder}/:folder/:id/:name`, (request, reply) => {
      reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin');
      const upload = parts.uploads.find(request.url.split('?')[0] ?? '', request.query);
      if (!upload) return reply.code(404).type('text/plain').send('This content is no longer available.');
      // An uploaded file must never run as a page of this origin.
      reply.header('content-security-policy', 'sandbox').header('x-content-type-options', 'nosniff');
      return sendBytes(upload.bytes, request, reply.type(upload.contentType));
    });
};
