/**
 * A row as the texts of its cells in UTF-8, in the order of the report's columns: what files of millions of rows are
 * written from without a string for each cell. An instant is RFC 3339 in UTC with milliseconds, an integer is decimal.
 * The cell at `index` is `views[index]` from `starts[index]` to `ends[index]`; a cell without a value starts at -1.
 */
export interface RowCells {
  readonly views: ReadonlyArray<DataView>
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/** Rows of a report. The cells of a row are those until the next row is read: one object serves all of them. */
export interface RowBlock {
  readonly length: number
  readonly row: (index: number) => RowCells
  /** Gives back the memory that the rows were received in. None of them can be read afterwards. */
  readonly release: () => void
  /** Lets go of the last row, whose memory would else be held until the next ones are read. */
  readonly forget: () => void
}
