/** Stores the records of a run until its reports are written. */
export interface RecordStore {
  /** Appends a record. @returns its place. @throws the error of the storage */
  put(text: string): number
  get(place: number): string
}
