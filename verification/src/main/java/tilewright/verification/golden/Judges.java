package tilewright.verification.golden;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The judge of each operation, by the record's {@code op}. */
final class Judges {
  private static final Map<String, Judge> BY_OPERATION = all();

  private Judges() {}

  static Optional<Judge> of(String operation) {
    // x_* are CuTe C++'s answers to operands that pycute answered too.
    return Optional.ofNullable(BY_OPERATION.get(operation.replaceFirst("^x_", "")));
  }

  private static Map<String, Judge> all() {
    var judges = new HashMap<String, Judge>();
    judges.putAll(TupleJudges.all());
    judges.putAll(EvaluationJudges.all());
    judges.putAll(CoordinateConversionJudges.all());
    judges.putAll(SurgeryJudges.all());
    judges.putAll(ConstructionJudges.all());
    judges.putAll(SimplificationJudges.all());
    judges.putAll(CompositionJudges.all());
    judges.putAll(DivisionJudges.all());
    judges.putAll(ProductJudges.all());
    judges.putAll(InverseJudges.all());
    judges.putAll(CastJudges.all());
    judges.putAll(SwizzleJudges.all());
    judges.putAll(SwizzleAlgebraJudges.all());
    judges.putAll(CoordinateJudges.all());
    judges.putAll(HardwareJudges.all());
    judges.putAll(MorphismJudges.all());
    return Map.copyOf(judges);
  }
}
