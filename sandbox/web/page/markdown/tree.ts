/** A parsed message; its text is never interpreted as HTML. */
export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'break' }
  | { readonly type: 'strong' | 'em' | 'underline' | 'strike' | 'spoiler'; readonly inner: readonly Inline[] }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'link'; readonly href: string; readonly inner: readonly Inline[] }
  | { readonly type: 'user' | 'role' | 'channel'; readonly id: string }
  | { readonly type: 'command'; readonly name: string; readonly id: string }
  | { readonly type: 'time'; readonly seconds: number; readonly style: string }
  | { readonly type: 'emoji'; readonly name: string }
  | { readonly type: 'keycap'; readonly text: string }
  | { readonly type: 'everyone'; readonly text: string };

export type Block =
  | { readonly type: 'paragraph' | 'subtext'; readonly inner: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: 1 | 2 | 3; readonly inner: readonly Inline[] }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'list'; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] };
