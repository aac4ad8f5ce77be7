import { useSignal } from '@preact/signals';
import { receive } from './draft.ts';

/** Accepts files dropped anywhere on the channel, and shows a hint during the drag. */
export function useDrop() {
  const over = useSignal(false);
  return {
    over,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      over.value = true;
    },
    onDragLeave: (event: DragEvent) => {
      const inside = event.currentTarget as Element;
      if (!inside.contains(event.relatedTarget as Node | null)) over.value = false;
    },
    onDrop: (event: DragEvent) => {
      over.value = false;
      const given = [...(event.dataTransfer?.files ?? [])];
      if (given.length === 0) return;
      event.preventDefault();
      receive(given);
    },
  };
}

export function filesPasted(event: ClipboardEvent): void {
  const given = [...(event.clipboardData?.files ?? [])];
  if (given.length === 0) return;
  event.preventDefault();
  receive(given);
}
