/** Where the records of a run wait until its reports are written. */
export interface RecordStore {
  /** Adds a record, after all others. @returns its place. @throws what went wrong with the place where it is kept */
  put(text: string): number
  /** The record that has this place. */
  get(place: number): string
}
