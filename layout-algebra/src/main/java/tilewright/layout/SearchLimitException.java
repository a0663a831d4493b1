package tilewright.layout;

/** A search that would take too long to decide. */
final class SearchLimitException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SearchLimitException(int limit) {
    super("undecided after " + limit + " steps of search");
  }
}
