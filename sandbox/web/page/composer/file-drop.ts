import { useSignal } from '@preact/signals';
import { addFiles } from './draft.ts';

/** Accepts files dropped anywhere on the channel, and shows a hint during the drag. */
export function useDrop() {
  const isDragging = useSignal(false);
  return {
    isDragging,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      isDragging.value = true;
    },
    onDragLeave: (event: DragEvent) => {
      const area = event.currentTarget as Element;
      if (!area.contains(event.relatedTarget as Node | null)) isDragging.value = false;
    },
    onDrop: (event: DragEvent) => {
      isDragging.value = false;
      const droppedFiles = [...(event.dataTransfer?.files ?? [])];
      if (droppedFiles.length === 0) return;
      event.preventDefault();
      addFiles(droppedFiles);
    },
  };
}

export function onPaste(event: ClipboardEvent): void {
  const pastedFiles = [...(event.clipboardData?.files ?? [])];
  if (pastedFiles.length === 0) return;
  event.preventDefault();
  addFiles(pastedFiles);
}
