/** A channel that was just entered has its messages on the way. */
const MOST_TRIES = 20;
const BETWEEN_MS = 100;

/** Brings a message into sight, and lights it up for a moment. */
export function showMessage(id: string, tries = MOST_TRIES): void {
  const row = document.getElementById(`message-${id}`);
  if (!row) {
    if (tries > 0) setTimeout(() => showMessage(id, tries - 1), BETWEEN_MS);
    return;
  }
  row.scrollIntoView({ block: 'center', behavior: 'smooth' });
  row.animate([{ backgroundColor: 'var(--brand-soft)' }, {}], 1_600);
}
