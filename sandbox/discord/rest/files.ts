import type { Routes } from '../parts.ts';

/** The content network: files behind signed addresses, without a token. */
export const fileRoutes: Routes = (server, parts) => {
  for (const folder of ['attachments', 'ephemeral-attachments'])
    server.get<{ Querystring: Record<string, string> }>(`/${folder}/:folder/:id/:name`, (request, reply) => {
      const upload = parts.uploads.open(request.url.split('?')[0] ?? '', request.query);
      if (!upload) return reply.code(404).type('text/plain').send('This content is no longer available.');
      return reply.type(upload.contentType).send(upload.bytes);
    });
};
