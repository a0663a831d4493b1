package tilewright.layout.decision;

/** A question that is decidable, but not within the steps or the memory that one call may take; its answer is open. */
public final class SearchLimitException extends ArithmeticException {
  private static final long serialVersionUID = 1;

  public SearchLimitException(String message) {
    super(message);
  }

  public static SearchLimitException after(int limit) {
    return new SearchLimitException("undecided after " + limit + " steps of search");
  }
}
