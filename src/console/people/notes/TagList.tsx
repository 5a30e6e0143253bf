/** Tags, as they are read. */
export const TagList = ({ of }: { readonly of: ReadonlyArray<string> }) =>
  of.length === 0 ? null : (
    <span class="tags">
      {of.map((tag) => (
        <span key={tag} class="tag">
          <bdi class="clip">{tag}</bdi>
        </span>
      ))}
    </span>
  )
