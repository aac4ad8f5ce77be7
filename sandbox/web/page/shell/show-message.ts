/** Retries, because the messages of a newly opened channel may still be loading. */
const MAX_TRIES = 20;
const RETRY_MS = 100;

/** Scrolls to a message and highlights it briefly. */
export function showMessage(id: string, tries = MAX_TRIES): void {
  const row = document.getElementById(`message-${id}`);
  if (!row) {
    if (tries > 0) setTimeout(() => showMessage(id, tries - 1), RETRY_MS);
    return;
  }
  row.scrollIntoView({ block: 'center', behavior: 'smooth' });
  row.animate([{ backgroundColor: 'var(--brand-soft)' }, {}], 1_600);
}
