import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Keeps the selected entry of a list visible during keyboard navigation. */
export function useScrollToSelected<T extends HTMLElement>(active: unknown): RefObject<T | null> {
  const list = useRef<T>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return list;
}
