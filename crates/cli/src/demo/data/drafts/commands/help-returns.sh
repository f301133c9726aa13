echo "The corner shop. Bring it back within 14 days."
