/** A parsed message; its text is never interpreted as HTML. */
export type Inline =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'break' }
  | { readonly is: 'strong' | 'em' | 'underline' | 'strike' | 'spoiler'; readonly inner: readonly Inline[] }
  | { readonly is: 'code'; readonly text: string }
  | { readonly is: 'link'; readonly href: string; readonly inner: readonly Inline[] }
  | { readonly is: 'user' | 'role' | 'channel'; readonly id: string }
  | { readonly is: 'command'; readonly name: string; readonly id: string }
  | { readonly is: 'time'; readonly seconds: number; readonly style: string }
  | { readonly is: 'emoji'; readonly name: string }
  | { readonly is: 'keycap'; readonly text: string }
  | { readonly is: 'everyone'; readonly text: string };

export type Block =
  | { readonly is: 'paragraph' | 'subtext'; readonly inner: readonly Inline[] }
  | { readonly is: 'heading'; readonly level: 1 | 2 | 3; readonly inner: readonly Inline[] }
  | { readonly is: 'quote'; readonly blocks: readonly Block[] }
  | { readonly is: 'code'; readonly language: string; readonly text: string }
  | { readonly is: 'list'; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] };
