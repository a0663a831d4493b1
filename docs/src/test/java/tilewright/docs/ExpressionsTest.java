package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ExpressionsTest {

  @Test
  void theTableNamesOperationsWithTheirOperands() {
    var table = Expressions.table();
    assertTrue(table.contains("|`+composition(outer, inner)+`\n"), table);
    assertTrue(table.contains("|`+complement(layout, [bound])+`\n"), table);
  }

  @Test
  void aRecordedComparisonIsOneSentenceAndItsCircumstances() {
    var record = JsonMapper.shared().readTree("""
        {"expressions": 10, "seconds": {"tilewright": 0.5, "pycute": 2.0}, "ratio": 4.0, "python": "3.11",
         "date": "2000-01-01", "cpu": "two cores", "cutlass": "0123456789abcdef"}
        """);
    assertEquals("10 random expressions, one process each that reads them from standard input and prints every offset, "
        + "median of five: 0.50 s with `layout eval`, starting Java included, and 2.00 s with pycute, "
        + "4.0 times as long.\n"
        + "(2000-01-01, two cores; pycute of CUTLASS 0123456789, Python 3.11; `docs/benchmarks/expressions/compare.py` "
        + "repeats it.)\n", Expressions.speed(record));
  }
}
