/** Paths on a grid of 24 by 24. */
const shapes = {
  hash: 'M4 9h16M4 15h16M10 3 8 21M16 3l-2 18',
  thread: 'M5 9h13M4 15h7M10 3 8.7 15M15.5 3 14 15m0 0h6m-3-3v6',
  'private-thread': 'M5 9h8M4 15h7M10 3 8.7 15M15.5 3 15 7.5m-.8 5.5h6v6h-6zm1.3 0v-1.5a1.7 1.7 0 0 1 3.4 0V13',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  at: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Zm0 0v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.6 7.2',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14a6.5 6.5 0 0 1 3.5 6',
  alert: 'M12 4 2.8 20h18.4ZM12 10v4.5M12 17.3v.2',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  dots: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z',
  system: 'M3 4.5h18v11H3zM8.5 20h7M12 15.5V20',
  bench: 'M9.5 3h5M10.5 3v6L5 18.2A1.9 1.9 0 0 0 6.6 21h10.8a1.9 1.9 0 0 0 1.6-2.8L13.5 9V3M7.6 14.5h8.8',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  down: 'M6 9.5l6 6 6-6',
  check: 'M5 12.5 10 17.5 19.5 7',
  send: 'M4 12 20.5 4.5 15 20l-3.5-6.5ZM11.5 13.5 20.5 4.5',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  sound: 'M11 5 6.5 9H3v6h3.5L11 19zM15 9a4 4 0 0 1 0 6M17.5 6.5a8 8 0 0 1 0 11',
  play: 'M7 4.5v15l12-7.5Z',
  pause: 'M8.5 5v14M15.5 5v14',
  stop: 'M6.5 6.5h11v11h-11z',
  bolt: 'M13 2.5 5 13.5h6L10.5 21.5 19 10h-6Z',
  reply: 'M5 16v-3a4 4 0 0 1 4-4h10',
  brush:
    'M20 4c-5 1.5-9.5 5-11 8.5l2.5 2.5C15 13.5 18.5 9 20 4ZM8 13.5c-2.5 0-3.5 2-3.5 4 0 1-.5 1.8-1.5 2.5 3 .8 7 .2 7.5-4Z',
  question: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM9.5 9.3a2.6 2.6 0 1 1 3.7 2.4c-.8.4-1.2.9-1.2 1.8M12 16.8v.1',
  chart: 'M4 20h16M7 16v-4M12 16V6M17 16v-7',
  apps: 'M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
