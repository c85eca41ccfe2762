"""The graph as a data structure: operations, tensors, scopes, subgraphs, GraphDefs."""
