/** What a chart shows, in words and exact amounts; how it looks is decided where it is drawn. */
export interface BarPicture {
  title: string;
  /** Lines under the title. */
  facts: readonly string[];
  /** Upright along the days, or lying with room for long names. */
  bars: 'upright' | 'lying';
  entries: readonly Bar[];
}

export interface Bar {
  label: string;
  /** As it was told, every digit of it. */
  amount: string;
  /** The amount as it stands at the bar. */
  text: string;
}
