/** Part of a longer list. `next` continues behind it; null: this was the last. */
export interface Page<Item> {
  items: Item[]
  next: string | null
}
