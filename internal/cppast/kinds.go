package cppast

// kind is what the lowering switches on, see treesitter.Symbols.
type kind uint8

const (
	kOther kind = iota
	kError
	kArgumentList
	kArrayDeclarator
	kAssignment
	kBinary
	kBreak
	kCall
	kCase
	kCast
	kCatch
	kComment
	kCompound
	kCompoundLiteral
	kCondition
	kConditional
	kContinue
	kDeclaration
	kDelete
	kDependentName
	kDependentType
	kDestructorName
	kDo
	kElse
	kExpressionStatement
	kField
	kFieldInit
	kFieldInits
	kFor
	kForRange
	kFunctionDeclarator
	kFunctionDefinition
	kGoto
	kIdentifier
	kIf
	kInitDeclarator
	kInitializerList
	kInitStatement
	kLabeled
	kLambda
	kLaunch
	kLiteral
	kNamespace
	kNew
	kOptionalParameter
	kParameter
	kParameterList
	kParenthesized
	kPointerDeclarator
	kPointerExpr
	kPreprocArg
	kPreprocDef
	kPreprocElif
	kPreprocElifdef
	kPreprocElse
	kPreprocFunction
	kPreprocIf
	kPreprocIfdef
	kPreprocInclude
	kQualified
	kReferenceDeclarator
	kReturn
	kStorage
	kString
	kStructured
	kSubscript
	kSubscriptArgs
	kSwitch
	kTemplateArgs
	kTemplateName
	kThrow
	kTry
	kTypeDescriptor
	kTypeSpec
	kUnary
	kUpdate
	kWhile
	kTokDevice
	kTokHost
	kTokGlobal
	kTokIfndef
	kTokElifndef
)

var namedKinds = map[string]kind{
	"argument_list":                  kArgumentList,
	"array_declarator":               kArrayDeclarator,
	"assignment_expression":          kAssignment,
	"binary_expression":              kBinary,
	"break_statement":                kBreak,
	"call_expression":                kCall,
	"case_statement":                 kCase,
	"cast_expression":                kCast,
	"catch_clause":                   kCatch,
	"char_literal":                   kLiteral,
	"class_specifier":                kTypeSpec,
	"comment":                        kComment,
	"compound_literal_expression":    kCompoundLiteral,
	"compound_statement":             kCompound,
	"concatenated_string":            kString,
	"condition_clause":               kCondition,
	"conditional_expression":         kConditional,
	"continue_statement":             kContinue,
	"declaration":                    kDeclaration,
	"delete_expression":              kDelete,
	"dependent_name":                 kDependentName,
	"dependent_type":                 kDependentType,
	"destructor_name":                kDestructorName,
	"do_statement":                   kDo,
	"else_clause":                    kElse,
	"expression_statement":           kExpressionStatement,
	"false":                          kLiteral,
	"field_expression":               kField,
	"field_identifier":               kIdentifier,
	"field_initializer":              kFieldInit,
	"field_initializer_list":         kFieldInits,
	"for_range_loop":                 kForRange,
	"for_statement":                  kFor,
	"function_declarator":            kFunctionDeclarator,
	"function_definition":            kFunctionDefinition,
	"goto_statement":                 kGoto,
	"identifier":                     kIdentifier,
	"if_statement":                   kIf,
	"init_declarator":                kInitDeclarator,
	"init_statement":                 kInitStatement,
	"initializer_list":               kInitializerList,
	"kernel_call_syntax":             kLaunch,
	"labeled_statement":              kLabeled,
	"lambda_expression":              kLambda,
	"namespace_definition":           kNamespace,
	"namespace_identifier":           kIdentifier,
	"new_expression":                 kNew,
	"null":                           kLiteral,
	"number_literal":                 kLiteral,
	"operator_name":                  kIdentifier,
	"optional_parameter_declaration": kOptionalParameter,
	"parameter_declaration":          kParameter,
	"parameter_list":                 kParameterList,
	"parenthesized_expression":       kParenthesized,
	"pointer_declarator":             kPointerDeclarator,
	"pointer_expression":             kPointerExpr,
	"preproc_arg":                    kPreprocArg,
	"preproc_def":                    kPreprocDef,
	"preproc_elif":                   kPreprocElif,
	"preproc_elifdef":                kPreprocElifdef,
	"preproc_else":                   kPreprocElse,
	"preproc_function_def":           kPreprocFunction,
	"preproc_if":                     kPreprocIf,
	"preproc_ifdef":                  kPreprocIfdef,
	"preproc_include":                kPreprocInclude,
	"primitive_type":                 kIdentifier,
	"qualified_identifier":           kQualified,
	"raw_string_literal":             kString,
	"reference_declarator":           kReferenceDeclarator,
	"return_statement":               kReturn,
	"storage_class_specifier":        kStorage,
	"string_literal":                 kString,
	"struct_specifier":               kTypeSpec,
	"structured_binding_declarator":  kStructured,
	"subscript_argument_list":        kSubscriptArgs,
	"subscript_expression":           kSubscript,
	"switch_statement":               kSwitch,
	"template_argument_list":         kTemplateArgs,
	"template_function":              kTemplateName,
	"template_method":                kTemplateName,
	"template_type":                  kTemplateName,
	"this":                           kIdentifier,
	"throw_statement":                kThrow,
	"true":                           kLiteral,
	"try_statement":                  kTry,
	"type_descriptor":                kTypeDescriptor,
	"type_identifier":                kIdentifier,
	"unary_expression":               kUnary,
	"update_expression":              kUpdate,
	"while_statement":                kWhile,
}

var tokenKinds = map[string]kind{
	"__device__": kTokDevice,
	"__global__": kTokGlobal,
	"__host__":   kTokHost,
	"#ifndef":    kTokIfndef,
	"#elifndef":  kTokElifndef,
}

// cudaOnly are the names that the grammar of plain C++ does not have.
var cudaOnly = []string{"kernel_call_syntax", "__device__", "__global__", "__host__"}
