package pyast

// kind is what the lowering switches on. The grammar's own symbol numbers change with each of its versions and
// one name can have several (aliases), so a table built once maps them.
type kind uint8

const (
	kOther kind = iota // punctuation and keywords that carry no meaning of their own
	kError
	kAliasedImport
	kArgumentList
	kAsPattern
	kAsPatternTarget
	kAssertStatement
	kAssignment
	kAttribute
	kAugmentedAssignment
	kAwait
	kBinaryOperator
	kBlock
	kBooleanOperator
	kBreakStatement
	kCall
	kCaseClause
	kCasePattern
	kChevron
	kClassDefinition
	kClassPattern
	kComment
	kComparisonOperator
	kComplexPattern
	kConcatenatedString
	kConditionalExpression
	kConstrainedType
	kContinueStatement
	kDecoratedDefinition
	kDecorator
	kDefaultParameter
	kDeleteStatement
	kDictPattern
	kDictionary
	kDictionaryComprehension
	kDictionarySplat
	kDictionarySplatPattern
	kDottedName
	kElifClause
	kEllipsis
	kElseClause
	kExceptClause
	kExceptGroupClause
	kExecStatement
	kExpressionList
	kExpressionStatement
	kFalse
	kFinallyClause
	kFloat
	kForInClause
	kForStatement
	kFormatExpression
	kFormatSpecifier
	kFunctionDefinition
	kFutureImportStatement
	kGeneratorExpression
	kGenericType
	kGlobalStatement
	kIdentifier
	kIfClause
	kIfStatement
	kImportFromStatement
	kImportPrefix
	kImportStatement
	kInteger
	kInterpolation
	kKeywordArgument
	kKeywordPattern
	kKeywordSeparator
	kLambda
	kLambdaParameters
	kList
	kListComprehension
	kListPattern
	kListSplat
	kListSplatPattern
	kMatchStatement
	kMemberType
	kModule
	kNamedExpression
	kNone
	kNonlocalStatement
	kNotOperator
	kPair
	kParameters
	kParenthesizedExpression
	kParenthesizedListSplat
	kPassStatement
	kPatternList
	kPositionalSeparator
	kPrintStatement
	kRaiseStatement
	kRelativeImport
	kReturnStatement
	kSet
	kSetComprehension
	kSlice
	kSplatPattern
	kSplatType
	kString
	kStringContent
	kStringEnd
	kStringStart
	kSubscript
	kTrue
	kTryStatement
	kTuple
	kTuplePattern
	kType
	kTypeAliasStatement
	kTypeConversion
	kTypeParameter
	kTypedDefaultParameter
	kTypedParameter
	kUnaryOperator
	kUnionPattern
	kUnionType
	kWhileStatement
	kWildcardImport
	kWithClause
	kWithItem
	kWithStatement
	kYield
	kTokComma
	kTokColon
	kTokEqual
	kTokStar
	kTokStarStar
	kTokMinus
	kTokPlus
	kTokAsync
	kTokFrom
	kTokUnderscore
	kTokShift
	kTokParen
	kTokTypeKeyword
	kTokIn
	kTokAs
)

var namedKinds = map[string]kind{
	"aliased_import":           kAliasedImport,
	"argument_list":            kArgumentList,
	"as_pattern":               kAsPattern,
	"as_pattern_target":        kAsPatternTarget,
	"assert_statement":         kAssertStatement,
	"assignment":               kAssignment,
	"attribute":                kAttribute,
	"augmented_assignment":     kAugmentedAssignment,
	"await":                    kAwait,
	"binary_operator":          kBinaryOperator,
	"block":                    kBlock,
	"boolean_operator":         kBooleanOperator,
	"break_statement":          kBreakStatement,
	"call":                     kCall,
	"case_clause":              kCaseClause,
	"case_pattern":             kCasePattern,
	"chevron":                  kChevron,
	"class_definition":         kClassDefinition,
	"class_pattern":            kClassPattern,
	"comment":                  kComment,
	"comparison_operator":      kComparisonOperator,
	"complex_pattern":          kComplexPattern,
	"concatenated_string":      kConcatenatedString,
	"conditional_expression":   kConditionalExpression,
	"constrained_type":         kConstrainedType,
	"continue_statement":       kContinueStatement,
	"decorated_definition":     kDecoratedDefinition,
	"decorator":                kDecorator,
	"default_parameter":        kDefaultParameter,
	"delete_statement":         kDeleteStatement,
	"dict_pattern":             kDictPattern,
	"dictionary":               kDictionary,
	"dictionary_comprehension": kDictionaryComprehension,
	"dictionary_splat":         kDictionarySplat,
	"dictionary_splat_pattern": kDictionarySplatPattern,
	"dotted_name":              kDottedName,
	"elif_clause":              kElifClause,
	"ellipsis":                 kEllipsis,
	"else_clause":              kElseClause,
	"except_clause":            kExceptClause,
	"except_group_clause":      kExceptGroupClause,
	"exec_statement":           kExecStatement,
	"expression_list":          kExpressionList,
	"expression_statement":     kExpressionStatement,
	"false":                    kFalse,
	"finally_clause":           kFinallyClause,
	"float":                    kFloat,
	"for_in_clause":            kForInClause,
	"for_statement":            kForStatement,
	"format_expression":        kFormatExpression,
	"format_specifier":         kFormatSpecifier,
	"function_definition":      kFunctionDefinition,
	"future_import_statement":  kFutureImportStatement,
	"generator_expression":     kGeneratorExpression,
	"generic_type":             kGenericType,
	"global_statement":         kGlobalStatement,
	"identifier":               kIdentifier,
	"if_clause":                kIfClause,
	"if_statement":             kIfStatement,
	"import_from_statement":    kImportFromStatement,
	"import_prefix":            kImportPrefix,
	"import_statement":         kImportStatement,
	"integer":                  kInteger,
	"interpolation":            kInterpolation,
	"keyword_argument":         kKeywordArgument,
	"keyword_pattern":          kKeywordPattern,
	"keyword_separator":        kKeywordSeparator,
	"lambda":                   kLambda,
	"lambda_parameters":        kLambdaParameters,
	"list":                     kList,
	"list_comprehension":       kListComprehension,
	"list_pattern":             kListPattern,
	"list_splat":               kListSplat,
	"list_splat_pattern":       kListSplatPattern,
	"match_statement":          kMatchStatement,
	"member_type":              kMemberType,
	"module":                   kModule,
	"named_expression":         kNamedExpression,
	"none":                     kNone,
	"nonlocal_statement":       kNonlocalStatement,
	"not_operator":             kNotOperator,
	"pair":                     kPair,
	"parameters":               kParameters,
	"parenthesized_expression": kParenthesizedExpression,
	"parenthesized_list_splat": kParenthesizedListSplat,
	"pass_statement":           kPassStatement,
	"pattern_list":             kPatternList,
	"positional_separator":     kPositionalSeparator,
	"print_statement":          kPrintStatement,
	"raise_statement":          kRaiseStatement,
	"relative_import":          kRelativeImport,
	"return_statement":         kReturnStatement,
	"set":                      kSet,
	"set_comprehension":        kSetComprehension,
	"slice":                    kSlice,
	"splat_pattern":            kSplatPattern,
	"splat_type":               kSplatType,
	"string":                   kString,
	"string_content":           kStringContent,
	"string_end":               kStringEnd,
	"string_start":             kStringStart,
	"subscript":                kSubscript,
	"true":                     kTrue,
	"try_statement":            kTryStatement,
	"tuple":                    kTuple,
	"tuple_pattern":            kTuplePattern,
	"type":                     kType,
	"type_alias_statement":     kTypeAliasStatement,
	"type_conversion":          kTypeConversion,
	"type_parameter":           kTypeParameter,
	"typed_default_parameter":  kTypedDefaultParameter,
	"typed_parameter":          kTypedParameter,
	"unary_operator":           kUnaryOperator,
	"union_pattern":            kUnionPattern,
	"union_type":               kUnionType,
	"while_statement":          kWhileStatement,
	"wildcard_import":          kWildcardImport,
	"with_clause":              kWithClause,
	"with_item":                kWithItem,
	"with_statement":           kWithStatement,
	"yield":                    kYield,
}

var tokenKinds = map[string]kind{
	",":     kTokComma,
	":":     kTokColon,
	"=":     kTokEqual,
	"*":     kTokStar,
	"**":    kTokStarStar,
	"-":     kTokMinus,
	"+":     kTokPlus,
	"async": kTokAsync,
	"from":  kTokFrom,
	"_":     kTokUnderscore,
	">>":    kTokShift,
	"(":     kTokParen,
	"type":  kTokTypeKeyword,
	"in":    kTokIn,
	"as":    kTokAs,
}
